import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Span, Tracing } from "../../base/tracing.ts";
import type { Slots } from "../../slots/slots.ts";
import type { Database } from "../../storage/database.ts";
import type { AdoptedRun } from "../store.ts";
import { isOwned, type NodeRow, onPool } from "../walk/checkpoint-store.ts";
import type { Followed, RunWorkflow } from "../walk/run-workflow.ts";
import { forgetAdoptions } from "../walk/stored-nodes-store.ts";
import { type ActiveRun, createActiveRuns } from "./active-runs.ts";
import { createClaimRuns } from "./claim-runs.ts";
import { createEndedClaims } from "./ended-claims.ts";
import type { Claim, RunQueue } from "./run-queue.ts";

type Options = {
  db: Database;
  queue: RunQueue;
  slots: Pick<Slots, "acquire">;
  runWorkflow: RunWorkflow;
  clock: Clock;
  log: Log;
  tracing: Tracing;
  /** Names this process in the rows it has adopted. */
  owner: string;
  /** How many runs this process has at a time; none when it is no worker. */
  mostRuns: number;
  /** `nodes`: all that is stored of its nodes, where this process knows it. */
  onEnd: (run: AdoptedRun, nodes: NodeRow[] | undefined) => void;
  /** Ends a run of what was deleted meanwhile. */
  endDeleted: (run: AdoptedRun) => Promise<void>;
  /** Ends what no process could bring to an end. */
  endDead: (owner: string) => Promise<void>;
};

const pollMs = 1_000;
const keepMs = 3_000;
/** Longer waits end up to a second late, when a process looks. */
const mostPreciseMs = 60_000;
const patienceMs = 10_000;
const handBackMs = 3_000;

/** Takes runs out of the queue while there is room, runs each in a slot of its organization, and keeps its hold on them. */
export function createDispatcher({ db, queue, clock, log, owner, mostRuns, endDead, ...options }: Options) {
  const active = createActiveRuns();
  const endedClaims = createEndedClaims({ db, queue, log });
  let isStopping = false;
  const drive = createDrive({
    db,
    queue,
    log,
    ...options,
    endedClaims,
    isStopping: () => isStopping,
    onSlot: () => claims.wakeIfWaiting("slot"),
  });
  const claims = createClaimRuns({
    db,
    queue,
    log,
    owner,
    crowded: active.crowded,
    drop: endedClaims.add,
    room: () => (isStopping ? 0 : mostRuns - active.size()),
    begin: (run, claim) => void active.add(run, claim, drive).ended.then(() => claims.wakeIfWaiting("room")),
  });
  const moments = new Set<NodeJS.Timeout>();
  const intervals: NodeJS.Timeout[] = [];

  async function keepAll(): Promise<void> {
    const mine = active.claims();
    if (mine.length === 0) return;
    const kept = await queue.keep(onPool(db), mine);
    // A run that stepped aside meanwhile may be here again, with another claim.
    for (const claim of mine) if (!kept.has(claim.id) && active.isHere(claim)) active.lose(claim.id, "lost");
  }

  return {
    claimIn: claims.claimIn,
    hasRoom: claims.hasRoom,
    wake: claims.wake,
    /** Somebody cancelled it. */
    cancel: (id: string): void => active.lose(id, "cancelled"),
    counts: () => ({ running: active.size() - active.countWaiting(), waiting: active.countWaiting() }),

    /** At that moment a run of this process goes on; others would notice within a second. */
    wakeAt(moment: Date): void {
      const delayMs = Math.max(0, moment.getTime() - clock.now().getTime());
      if (delayMs > mostPreciseMs || isStopping) return;
      const timer = setTimeout(() => {
        moments.delete(timer);
        claims.wake();
      }, delayMs);
      moments.add(timer);
    },

    start(): void {
      if (mostRuns === 0) return;
      const trouble = (error: Error) => log.warn({ reason: error.message }, "runs cannot be looked after right now");
      intervals.push(
        setInterval(claims.wake, pollMs),
        setInterval(() => void keepAll().catch(trouble), keepMs),
        // On its own: runs must be kept whatever becomes of this.
        setInterval(() => isStopping || void endDead(owner).catch(trouble), keepMs),
      );
      claims.wake();
    },

    /** Lets what runs come to the end of its node, then hands it back. */
    async stop(): Promise<void> {
      isStopping = true;
      for (const timer of moments) clearTimeout(timer);
      await claims.settled();
      await active.stop(patienceMs);
      for (const interval of intervals) clearInterval(interval);
      await endedClaims.flush();
    },
  };
}

type DriveOptions = Pick<
  Options,
  "db" | "queue" | "log" | "tracing" | "slots" | "runWorkflow" | "onEnd" | "endDeleted"
> & {
  endedClaims: { add: (claim: Claim) => void };
  isStopping: () => boolean;
  /** A run that waited for a slot has one. */
  onSlot: () => void;
};

/** One run with its claim, from the wait for a slot to where it ends here. */
function createDrive({
  db,
  queue,
  log,
  tracing,
  slots,
  runWorkflow,
  onEnd,
  endDeleted,
  endedClaims,
  isStopping,
  onSlot,
}: DriveOptions) {
  async function runInSlot(entry: ActiveRun, trace: Span): Promise<Followed> {
    const { run, claim, abort } = entry;
    if (run.isDeleted) return await endDeleted(run).then(() => ({ outcome: "ended" }));
    const waiting = trace.begin("slot wait");
    const slot = await slots.acquire(run.organizationId, { signal: abort.signal, kind: "run" }).finally(waiting.end);
    try {
      entry.waitsForSlot = false;
      onSlot();
      return await runWorkflow(run, { claim, slot, signal: abort.signal, isStopping, trace });
    } finally {
      slot.release();
    }
  }

  async function runOrHandBack(entry: ActiveRun): Promise<Followed> {
    const trace = beginTrace(tracing, entry.run);
    try {
      return await runInSlot(entry, trace);
    } catch (error) {
      const { signal } = entry.abort;
      trace.end({ "switchyard.run.outcome": "handed back" });
      if (signal.aborted) return { outcome: "handed back" };
      log.warn(
        { err: error, runId: entry.run.id, traceId: trace.traceId },
        "a run could not go on here and is handed back",
      );
      await delay(handBackMs, undefined, { signal }).catch(() => {});
      return { outcome: "handed back" };
    }
  }

  return async (entry: ActiveRun): Promise<void> => {
    const { outcome, nodes } = await runOrHandBack(entry);
    if (outcome === "ended") {
      endedClaims.add(entry.claim);
      onEnd(entry.run, nodes);
      // The claim is given up anyway when it is no longer kept; this only makes it quick.
    } else if (outcome !== "aside") await giveBack(entry).catch(() => {});
  };

  /** Does nothing to one that is another's by now. */
  async function giveBack({ run, claim, abort }: ActiveRun): Promise<void> {
    await db.transaction(async (within) => {
      if (!(await queue.hold(within, claim))) return;
      if (!(await isOwned(within, { ...run, runId: run.id }))) return;
      if (!wasLost(abort.signal)) await forgetAdoptions(within, run);
      await queue.giveBack(within, [claim]);
    });
  }
}

/** Its claim was taken away, or it was cancelled: not this process's own doing. */
const wasLost = ({ reason }: AbortSignal): boolean => reason instanceof Refusal && reason.code === "cancelled";

/** Each time a process takes the run up is a span of its own, below what started the run. */
const beginTrace = (
  tracing: Tracing,
  { traceParent, organizationId, id, workflowId, workflowVersion, kind }: AdoptedRun,
): Span =>
  tracing.follow(traceParent).begin("run", {
    "switchyard.organization.id": organizationId,
    "switchyard.run.id": id,
    "switchyard.run.kind": kind,
    "switchyard.workflow.id": workflowId,
    "switchyard.workflow.version": workflowVersion,
  });
