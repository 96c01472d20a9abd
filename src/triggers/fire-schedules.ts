import { createHash } from "node:crypto";
import { eachInParallel } from "../base/each-in-parallel.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { factsOfFailure, type Span, type Tracing } from "../base/tracing.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { Database } from "../storage/database.ts";
import { firstTick } from "./next-fire-times.ts";
import { requestOfTick } from "./run-requests.ts";
import { listDue, moveOn, readDatabaseClock, type TriggerRow, triggerTables } from "./store.ts";

type Options = {
  db: Database;
  startRun: StartRun;
  log: Log;
  tracing: Tracing;
  /** The database's clock unless given. */
  readNow?: () => Promise<Date>;
};

const lookEveryMs = 1_000;
const dueAtOnce = 500;
// Each start takes a connection or two: more at a time would leave none for the calls of others, and run into time limits themselves.
const startsAtOnce = 16;
const failuresToName = 5;
/** A process that was stopped for longer looks again instead of acting on what was due then. */
const lookLimitMs = 5_000;
const giveUpAfterMs = 10 * 60_000;

/** Fires what is due. Any number of processes do it at the same time: a run is keyed by its tick, so the second one finds the first one's. */
export function createSchedules({ db, startRun, log, tracing, readNow }: Options) {
  const tables = triggerTables(db);
  const now = readNow ?? (() => readDatabaseClock(tables));
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Why there is no run; null when there is one. */
  async function start(row: TriggerRow, tick: Date, failures: Failure[]): Promise<Error | null> {
    const trace = tracing.follow().begin("schedule", {
      "switchyard.organization.id": row.organization_id,
      "switchyard.trigger.id": row.id,
      "switchyard.workflow.id": row.workflow_id,
    });
    try {
      const { isReplay } = await startRun(toRunRequest(row, tick, trace));
      // Otherwise another process was first, and the run belongs to its trace.
      if (!isReplay) trace.end();
      return null;
    } catch (error) {
      const isOff = error instanceof Refusal && error.code === "trigger_off";
      if (!isOff) trace.end(factsOfFailure(error));
      if (!isOff) failures.push({ triggerId: row.id, tick, traceId: trace.traceId, err: error as Error });
      return error as Error;
    }
  }

  async function fire(row: TriggerRow, lookedAt: Date, failures: Failure[]): Promise<void> {
    const tick = row.next_fire_at as Date;
    const error = await start(row, tick, failures);
    if (error instanceof Refusal && error.code === "trigger_off") return;
    if (error !== null && mayWorkLater(error, lookedAt.getTime() - tick.getTime())) return;
    // What was missed meanwhile is not made up for: the tick that fires late stands for all of them.
    const after = new Date(Math.max(tick.getTime(), lookedAt.getTime()));
    const next = firstTick({ cron: row.cron as string, timeZone: row.time_zone as string }, after);
    await moveOn(tables, row, { next, firedAt: error === null ? lookedAt : null, error: error?.message ?? null });
  }

  async function fireDue(): Promise<void> {
    const startedAt = performance.now();
    const lookedAt = await now();
    const due = await listDue(tables, lookedAt, dueAtOnce);
    if (performance.now() - startedAt > lookLimitMs) return;
    const failures: Failure[] = [];
    const work = (row: TriggerRow) => fire(row, lookedAt, failures);
    const results = await eachInParallel(due, work, { most: startsAtOnce, isStopping: () => isStopped });
    const stuck = results.flatMap((result) => (result?.status === "rejected" ? [result.reason as unknown] : []));
    tellFailures(log, failures);
    if (stuck.length > 0) log.warn({ schedules: stuck.length, err: stuck[0] }, "Schedules could not go on.");
  }

  function lookAgainLater(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = fireDue()
        .catch((error: unknown) => log.warn({ err: error }, "Schedules could not be looked at."))
        .then(lookAgainLater);
    }, lookEveryMs);
  }

  return {
    start: lookAgainLater,
    fireDue,
    /** Waits for the runs that are being started. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

type Failure = { triggerId: string; tick: Date; traceId: string; err: Error };

/** One line, however many there are: what stops one schedule mostly stops them all. */
function tellFailures(log: Log, failures: Failure[]): void {
  const [first] = failures;
  if (!first) return;
  const named = new Map(failures.map((failure) => [failure.err.message, failure]));
  const shown = [...new Set([...named.values(), ...failures])].slice(0, failuresToName);
  const lines = shown.map(({ triggerId, tick, traceId, err }) => ({ triggerId, tick, traceId, reason: err.message }));
  log.warn({ schedules: failures.length, failures: lines, err: first.err }, "Schedules could not start their runs.");
}

const mayWorkLater = (error: Error, lateMs: number): boolean =>
  error instanceof Refusal ? error.status >= 500 || error.status === 429 : lateMs < giveUpAfterMs;

function toRunRequest(row: TriggerRow, tick: Date, trace: Span): RunRequest {
  const key = `schedule:${row.id}:${tick.toISOString()}`;
  return {
    ...requestOfTick(row, tick, trace),
    once: { key, requestSha256: createHash("sha256").update(key).digest() },
  };
}
