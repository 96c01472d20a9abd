import type { Clock } from "../base/clock.ts";
import { createHub } from "../base/hub.ts";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Tracing } from "../base/tracing.ts";
import type { Live } from "../records/live.ts";
import type { Partitions } from "../records/partitions.ts";
import type { Slots } from "../slots/slots.ts";
import { type ConnectionTarget, createDatabase, type Database, type Sql } from "../storage/database.ts";
import { type Listener, listen } from "../storage/listen.ts";
import type { SlowStatements } from "../storage/slow-statements.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createAcceptRuns, createFindReplay } from "./accept/accept-runs.ts";
import type { CheckOverrides } from "./accept/check-overrides.ts";
import { createStartRun } from "./accept/start-run.ts";
import { createCancelRun } from "./control/cancel-run.ts";
import { createEndRuns } from "./control/end-runs.ts";
import { createRerun } from "./control/rerun.ts";
import { createWaitForAnswer } from "./control/wait-for-answer.ts";
import { createWaitForEnd } from "./control/wait-for-end.ts";
import type { Signs } from "./control/wait-until.ts";
import { createDispatcher } from "./queue/dispatcher.ts";
import { createEndDeadRuns } from "./queue/end-dead-runs.ts";
import { countQueue } from "./queue/queue-store.ts";
import { createRunQueue } from "./queue/run-queue.ts";
import { createRunFiles } from "./read/run-files.ts";
import { createRunList } from "./read/run-list.ts";
import { runEventKind } from "./read/run-source.ts";
import { createRunRetention } from "./retention.ts";
import { type NewRun, notifyWorkers, type RunPlace, workersChannel } from "./store.ts";
import { createCalledRuns } from "./walk/called-runs.ts";
import { createCheckpoints } from "./walk/checkpoints.ts";
import { createFindGraph } from "./walk/find-graph.ts";
import { createOutputBudget } from "./walk/output-budget.ts";
import { createRunWorkflow } from "./walk/run-workflow.ts";
import { calledWord } from "./walk/tell-parents.ts";
import { createUnstoredEnds } from "./walk/unstored-ends.ts";
import type { RunObserver, WalkOptions } from "./walk/walk.ts";

export type Runs = ReturnType<typeof createRuns>;

type Options = {
  db: Database;
  /** For the connection of its own that hears other processes. */
  target: ConnectionTarget;
  /** The same database, perhaps behind a pooler, for what needs no session. */
  pooled: ConnectionTarget;
  /** That of the database, so that all processes agree on when a wait is over. */
  clock: Clock;
  log: Log;
  tracing: Tracing;
  workflows: Workflows;
  slots: Pick<Slots, "acquire">;
  live: Pick<Live, "announce" | "onHint">;
  partitions: Partitions;
  checkOverrides: CheckOverrides;
  nodes: Pick<WalkOptions, "executeNode" | "isPure" | "findStoredOf">;
  /** How many runs this process has at a time; none when it is no worker. */
  mostRuns: number;
  /** How long one run may be busy. */
  limitMs: number;
  /** How many calls one run of an organization may make at a time. */
  mostCalls: (organizationId: string) => number;
  keptDays: number;
  /** Per organization. */
  keptRuns: number;
  slowStatements: SlowStatements;
  observe: RunObserver & { retention: (removed: number) => void };
};

/** Runs of workflows: accepted in the database, handed to one process at a time, followed node by node. */
export function createRuns({
  db,
  target,
  pooled,
  clock,
  log,
  tracing,
  workflows,
  slots,
  live,
  partitions,
  checkOverrides,
  nodes,
  mostRuns,
  limitMs,
  mostCalls,
  slowStatements,
  observe,
  ...kept
}: Options) {
  const owner = newId();
  // What every run needs several times, on connections of its own.
  const hot = createDatabase({ target: pooled, applicationName: "switchyard runs", poolSize: 4, onlyByKey: true, log, slowStatements });
  const queue = createRunQueue({ target: pooled, log, supervises: mostRuns > 0 });
  const ends = createEnds(log);
  const findGraph = createFindGraph({ workflows });
  const list = createRunList({ db, hot, tableOf: partitions.tableOf, findGraph });
  const { onChange, onAccepted, onFailed, onCancelled } = createChanges(live, observe);
  const shared = { db: hot, tableOf: partitions.tableOf };
  const checkpoints = createCheckpoints({ ...shared, queue, onChange, onCancelled, onQueued: (moment) => dispatcher.wakeAt(moment) });
  const insertIntoQueue = async (sql: Sql, rows: NewRun[]): Promise<void> => {
    await queue.insert(sql, rows);
    if (!dispatcher.hasRoom() && rows.length > 0) await notifyWorkers(sql, "queued");
  };
  const claimIn: Parameters<typeof createAcceptRuns>[0]["claimIn"] = (sql, fresh) => dispatcher.claimIn(sql, fresh);
  const accept = createAcceptRuns({ ...shared, insertIntoQueue, claimIn, wake: () => dispatcher.wake(), owner, onChange: onAccepted });
  const { start: startRun, checkOverrides: checkOverridesOf } = createStartRun({
    ...{ workflows, findGraph, checkOverrides, accept, clock },
    findReplay: createFindReplay({ db }),
  });
  const called = createCalledRuns({ db, startRun, runs: list });
  const words = createWords(log);
  const runWorkflow = createRunWorkflow({
    ...{ db, checkpoints, ...nodes, clock, log, limitMs, mostCalls, observe },
    ...{ unstored: createUnstoredEnds(), budget: createOutputBudget() },
    findGraph: (run) => findGraph(run.organizationId, run.workflowId, run.workflowVersion),
    ...{ ...called, onCalledEnd: words.onCalledEnd, cancelCalled: ({ organizationId }, ids) => cancelAll(cancel, organizationId, ids) },
  });
  const forEnds = { db, queue, clock, log, onChange: onCancelled, onQueued: () => dispatcher.wake() };
  const [cancel, ending] = [createCancelRun(forEnds), createEndRuns(forEnds)];
  const dispatcher = createDispatcher({
    ...{ db: hot, queue, slots, runWorkflow, clock, log, tracing, owner, mostRuns },
    onEnd: ({ id }, nodes) => ends.publish(id, nodes),
    endDeleted: ending.endOne,
    endDead: createEndDeadRuns({ db, queue, clock, log, onChange: onFailed, onCancelled }),
  });
  const retention = createRunRetention({ db, partitions, log, ...kept, onDone: observe.retention });
  let listener: Listener | undefined;

  return {
    startRun,
    checkOverrides: checkOverridesOf,
    list,
    cancel,
    ending,
    rerun: createRerun({ workflows, list, findGraph, accept, checkOverrides, clock }),
    files: createRunFiles({ db }),
    waitForEnd: createWaitForEnd({ db: hot, list, ends, live }),
    waitForAnswer: createWaitForAnswer({ db: hot, list, ends, live }),
    counts: dispatcher.counts,
    queueCounts: () => countQueue(db),
    poolCounts: hot.counts,
    retention,

    /** Calls back once a run has ended in this process; nobody hears of runs that end elsewhere. */
    onEnd: (id: string, listener: () => void) => ends.subscribe(id, listener),

    /** Opens the queue, which every process needs that accepts runs; a worker also begins to take them. */
    async start(): Promise<void> {
      await queue.start();
      if (mostRuns > 0) retention.start();
      const told = { onMessage: words.hear(dispatcher), onConnect: dispatcher.wake };
      if (mostRuns > 0) listener = listen({ target, log, channel: workersChannel, applicationName: "switchyard runs", ...told });
      dispatcher.start();
    },

    /** Hands back what has not ended. */
    async stop(): Promise<void> {
      await Promise.all([listener?.stop(), retention.stop(), ending.stop()]);
      await dispatcher.stop();
      await checkpoints.drain();
      await queue.stop();
      await hot.close();
    },
  };
}

const createEnds = (log: Log): Signs["ends"] =>
  createHub({ onError: (error) => log.error({ err: error }, "nobody could be told that a run has ended") });

/** Those that have not ended by themselves. */
async function cancelAll(cancel: Runs["cancel"], organizationId: string, ids: string[]): Promise<void> {
  for (const id of ids)
    await cancel({ organizationId, id }).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "run_finished") throw error;
    });
}

/** What workers tell each other: a run was cancelled, one was called that has ended, or something is in the queue. */
function createWords(log: Log) {
  const ends = createHub<string | undefined>({
    onError: (error) => log.error({ err: error }, "a run could not be told that one it called has ended"),
  });
  return {
    onCalledEnd: ends.subscribe,
    hear:
      (dispatcher: Pick<ReturnType<typeof createDispatcher>, "cancel" | "wake">) =>
      (message: string): void => {
        const [word, id = "", calledId] = message.split(" ");
        if (word === "cancelled") dispatcher.cancel(id);
        else if (word === calledWord) ends.publish(id, calledId);
        else dispatcher.wake();
      },
  };
}

/** Tells live streams what changed, and counts what was accepted or ended. */
function createChanges(live: Options["live"], observe: RunObserver) {
  const onChange = (changed: RunPlace[]): void => live.announce(runEventKind, changed);
  const onEndedAs =
    (status: "failed" | "cancelled") =>
    (changed: RunPlace[]): void => {
      observe.ended(status, { runs: changed.length });
      onChange(changed);
    };
  return {
    onChange,
    onAccepted(accepted: NewRun[]): void {
      for (const { kind } of accepted) observe.accepted(kind);
      onChange(accepted);
    },
    ...{ onFailed: onEndedAs("failed"), onCancelled: onEndedAs("cancelled") },
  };
}
