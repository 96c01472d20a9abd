import type { Clock } from "../base/clock.ts";
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
import type { CheckOverrides } from "./accept/check-overrides.ts";
import { createAcceptRuns, createFindReplay, createStartRun, type StartRun } from "./accept/start-run.ts";
import { type CancelRun, createCancelRun } from "./control/cancel-run.ts";
import { createEndRuns } from "./control/end-runs.ts";
import { createRerun } from "./control/rerun.ts";
import { createWaitForAnswer } from "./control/wait-for-answer.ts";
import { createWaitForEnd } from "./control/wait-for-end.ts";
import { createFindRunGraph } from "./editor/find-run-graph.ts";
import { createStartEditorRun } from "./editor/start-editor-run.ts";
import { createDispatcher } from "./queue/dispatcher.ts";
import { createEndDeadRuns } from "./queue/end-dead-runs.ts";
import { countQueue } from "./queue/queue-store.ts";
import { createRunQueue } from "./queue/run-queue.ts";
import { createRunFiles } from "./read/run-files.ts";
import { createRunList } from "./read/run-list.ts";
import { createRunRetention } from "./retention.ts";
import { createChanges, createEnds, createWords } from "./run-news.ts";
import { type NewRun, notifyWorkers, workersChannel } from "./store.ts";
import { createCalledRuns } from "./walk/called-runs.ts";
import { type Checkpoints, createCheckpoints } from "./walk/checkpoints.ts";
import { createFindGraph } from "./walk/find-graph.ts";
import type { GraphNode } from "./walk/graph.ts";
import { createOutputBudget } from "./walk/output-budget.ts";
import { createRunWorkflow, type RunWorkflow } from "./walk/run-workflow.ts";
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
  /** Whether executing a node changes something outside. */
  writes: (node: GraphNode) => boolean;
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
export function createRuns(options: Options) {
  const { db, clock, log, workflows, live, observe, mostRuns } = options;
  const shared = openShared(options);
  const { hot, queue, list, findGraph, ends, words, changes, tableOf } = shared;
  // All that accept, store and end runs tell the dispatcher, which needs them itself: it is asked for when there is something to tell.
  const findDispatcher = (): Dispatcher => dispatcher;
  const wake = () => dispatcher.wake();
  const accept = openAccept(shared, findDispatcher);
  const findReplay = createFindReplay({ db });
  const starting = createStartRun({
    workflows,
    findGraph,
    checkOverrides: options.checkOverrides,
    accept,
    clock,
    findReplay,
  });
  const forEnds = { db, queue, clock, log, onChange: changes.onCancelled, onQueued: wake };
  const cancel = createCancelRun(forEnds);
  const ending = createEndRuns(forEnds);
  const checkpoints = createCheckpoints({
    db: hot,
    tableOf,
    queue,
    onChange: changes.onChange,
    onCancelled: changes.onCancelled,
    onQueued: (moment) => dispatcher.wakeAt(moment),
  });
  const runWorkflow = openWalks(options, shared, { checkpoints, start: starting.start, cancel });
  const dispatcher = openDispatcher(options, shared, { runWorkflow, endDeleted: ending.endOne });
  const { partitions, keptDays, keptRuns } = options;
  const retention = createRunRetention({ db, partitions, log, keptDays, keptRuns, onDone: observe.retention });
  let listener: Listener | undefined;

  return {
    startRun: starting.start,
    checkOverrides: starting.checkOverrides,
    list,
    cancel,
    ending,
    ...openEditing(options, shared, accept),
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
      if (mostRuns > 0)
        listener = listenForWords(options, { onMessage: words.hear(dispatcher), onConnect: dispatcher.wake });
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

type Dispatcher = ReturnType<typeof createDispatcher>;

type Shared = ReturnType<typeof openShared>;

/** What all that have to do with runs stand on. */
function openShared({ db, pooled, log, workflows, live, partitions, mostRuns, slowStatements, observe }: Options) {
  const { tableOf } = partitions;
  const findGraph = createFindGraph({ workflows });
  // What every run needs several times, on connections of its own.
  const hot = createDatabase({ target: pooled, applicationName, poolSize: 4, onlyByKey: true, log, slowStatements });
  return {
    /** Names this process. */
    owner: newId(),
    hot,
    queue: createRunQueue({ target: pooled, log, supervises: mostRuns > 0 }),
    tableOf,
    findGraph,
    list: createRunList({ db, hot, tableOf, findGraph }),
    ends: createEnds(log),
    words: createWords(log),
    changes: createChanges(live, observe),
  };
}

const applicationName = "switchyard runs";

const listenForWords = (
  { target, log }: Options,
  told: Pick<Parameters<typeof listen>[0], "onMessage" | "onConnect">,
): Listener => listen({ target, log, channel: workersChannel, applicationName, ...told });

/** What is accepted is taken at once where this process has room; otherwise the others are told. */
function openAccept({ hot, queue, tableOf, owner, changes }: Shared, findDispatcher: () => Dispatcher) {
  return createAcceptRuns({
    db: hot,
    tableOf,
    owner,
    insertIntoQueue: async (sql: Sql, rows: NewRun[]): Promise<void> => {
      await queue.insert(sql, rows);
      if (!findDispatcher().hasRoom() && rows.length > 0) await notifyWorkers(sql, "queued");
    },
    claimIn: (sql, fresh) => findDispatcher().claimIn(sql, fresh),
    wake: () => findDispatcher().wake(),
    onChange: changes.onAccepted,
  });
}

type Accept = ReturnType<typeof openAccept>;

/** What people start by hand once more, or while they edit. */
function openEditing(
  { db, workflows, checkOverrides, writes, clock }: Options,
  { list, findGraph }: Shared,
  accept: Accept,
) {
  const { start, rerun } = createStartEditorRun({ db, workflows, accept, writes, clock });
  const rerunning = { db, workflows, list, findGraph, accept, checkOverrides, clock };
  return { rerun: createRerun({ ...rerunning, rerunOnDraft: rerun }), startInEditor: start };
}

type ForWalks = { checkpoints: Checkpoints; start: StartRun; cancel: CancelRun };

function openWalks(
  options: Options,
  { findGraph, list, words }: Shared,
  { checkpoints, start, cancel }: ForWalks,
): RunWorkflow {
  const { db, clock, log, limitMs, mostCalls, observe, nodes } = options;
  return createRunWorkflow({
    db,
    checkpoints,
    ...nodes,
    clock,
    log,
    limitMs,
    mostCalls,
    observe,
    unstored: createUnstoredEnds(),
    budget: createOutputBudget(),
    findGraph: createFindRunGraph({ db, findGraph }),
    ...createCalledRuns({ db, startRun: start, runs: list }),
    onCalledEnd: words.onCalledEnd,
    cancelCalled: ({ organizationId }, ids) => cancelAll(cancel, organizationId, ids),
  });
}

type ForDispatcher = Pick<Parameters<typeof createDispatcher>[0], "runWorkflow" | "endDeleted">;

function openDispatcher(
  options: Options,
  { hot, queue, owner, ends, changes }: Shared,
  forDispatcher: ForDispatcher,
): Dispatcher {
  const { db, slots, clock, log, tracing, mostRuns } = options;
  const { onFailed: onChange, onCancelled } = changes;
  return createDispatcher({
    db: hot,
    queue,
    slots,
    clock,
    log,
    tracing,
    owner,
    mostRuns,
    ...forDispatcher,
    onEnd: ({ id }, nodes) => ends.publish(id, nodes),
    endDead: createEndDeadRuns({ db, queue, clock, log, onChange, onCancelled }),
  });
}

/** Those that have not ended by themselves. */
async function cancelAll(cancel: CancelRun, organizationId: string, ids: string[]): Promise<void> {
  for (const id of ids)
    await cancel({ organizationId, id }).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code !== "run_finished") throw error;
    });
}
