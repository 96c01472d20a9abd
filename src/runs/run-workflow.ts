import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Slot } from "../execution/slots.ts";
import type { Database } from "../storage/database.ts";
import type { Item, Scope, TriggerData } from "../workflows/engine-node.ts";
import type { NodeOverride } from "../workflows/wire.ts";
import type { RunTurn } from "./checkpoint-store.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type ExecuteNode, isPassing, type NodeEnd, type NodeFailure, toFailure } from "./execute-node.ts";
import { findReady, itemsOf, type Ready, type Settled, toRootItem } from "./find-ready.ts";
import { applyOverrides, type Graph, type GraphNode, onlyWay } from "./graph.ts";
import { describeEnd, describeRunning, describeSkipped, isPaused, nextMoment, type Pause, pauseOf, readStoredNodes } from "./node-rows.ts";
import { noProgress } from "./node-task.ts";
import type { Turn } from "./run-queue.ts";
import { type AdoptedRun, findStoredNodes } from "./store.ts";

export type RunOutcome =
  | "ended"
  /** It waits for a moment or for other runs, and is in the queue again. */
  | "aside"
  /** Another process has it, or it was cancelled: nothing more may be done for it. */
  | "lost"
  /** This process stops; another one goes on. */
  | "handed back";

type Circumstances = {
  turn: Turn;
  slot: Slot;
  /** Aborted when the run is lost, cancelled, or the process has to end. */
  signal: AbortSignal;
  isStopping: () => boolean;
};

export type RunWorkflow = ReturnType<typeof createRunWorkflow>;

type CallRuns = (run: AdoptedRun, nodeId: string, wishes: Extract<NodeEnd, { is: "calling" }>["runs"]) => Promise<string[]>;
type ReadCalled = (run: AdoptedRun, runIds: string[]) => Promise<{ items: Item[] } | { error: NodeFailure } | undefined>;

type Options = {
  db: Database;
  checkpoints: Checkpoints;
  executeNode: ExecuteNode;
  findGraph: (run: AdoptedRun) => Promise<Graph>;
  /** Starts other workflows for a node, each once, however often it is asked. */
  callRuns: CallRuns;
  /** What came out of them; undefined while one of them goes on. */
  readCalled: ReadCalled;
  clock: Clock;
  log: Log;
  limitMs: number;
};

const longestTimerMs = 60_000;
/** After this time somebody may be watching, so that it is shown what a run is busy with. */
const showAfterMs = 100;

/** Follows the graph of a run from where it stands to where it ends or has to wait. A finished node is stored before what follows it begins. */
export function createRunWorkflow(options: Options) {
  return async (run: AdoptedRun, circumstances: Circumstances): Promise<RunOutcome> => {
    const walk = await beginWalk(options, run, circumstances);
    try {
      return await followGraph(walk);
    } finally {
      walk.close();
    }
  };
}

type Walk = Awaited<ReturnType<typeof beginWalk>>;

async function beginWalk(options: Options, run: AdoptedRun, circumstances: Circumstances) {
  const { clock, limitMs } = options;
  const graph = applyOverrides(await options.findGraph(run), JSON.parse(run.overrides ?? "[]") as NodeOverride[]);
  const stored = run.isResumed ? await findStoredNodes(options.db, run) : [];
  const { settled, pauses, starts } = readStoredNodes(stored);
  const trigger = JSON.parse(run.triggerData) as TriggerData;
  const limit = new AbortController();
  const leftMs = Math.max(0, limitMs - run.activeMs);
  const timer = setTimeout(() => limit.abort(new Refusal("run_timeout", `The run took longer than ${limitMs / 1000} s.`)), leftMs);
  const heldAt = performance.now();
  return {
    ...{ options, run, graph, trigger, settled, pauses, starts, ...circumstances },
    held: { organizationId: run.organizationId, runId: run.id, epoch: run.epoch },
    startedAt: run.startedAt ?? clock.now(),
    limitSignal: AbortSignal.any([circumstances.signal, limit.signal]),
    running: new Map<string, Promise<void>>(),
    /** Shown while they run; awaited before the run changes its state, so that they do not undo it. */
    shown: [] as Promise<unknown>[],
    failure: undefined as { nodeId: string; error: NodeFailure } | undefined,
    state: { isLost: false, hasEnded: false },
    activeMs: () => run.activeMs + Math.round(performance.now() - heldAt),
    root: toRootItem(trigger.payload),
    close: () => clearTimeout(timer),
  };
}

async function followGraph(walk: Walk): Promise<RunOutcome> {
  await resumeCalls(walk);
  while (!walk.state.isLost && !walk.state.hasEnded) {
    if (canBegin(walk)) beginReady(walk);
    if (walk.running.size > 0) await whenSomethingChanges(walk);
    else if (!canBegin(walk) || !hasMore(walk)) break;
  }
  if (walk.state.hasEnded) return "ended";
  return walk.state.isLost || walk.signal.aborted ? "lost" : await conclude(walk);
}

const canBegin = (walk: Walk): boolean => !walk.failure && !walk.isStopping() && !walk.limitSignal.aborted;

/** A node has ended, or one that paused can go on although others still run. */
async function whenSomethingChanges(walk: Walk): Promise<void> {
  const { running, pauses, options } = walk;
  const moment = canBegin(walk) ? nextMoment(pauses, (id) => running.has(id)) : null;
  if (!moment) return void (await Promise.race(running.values()));
  const timer = new AbortController();
  const delayMs = Math.min(Math.max(moment.getTime() - options.clock.now().getTime(), 1), longestTimerMs);
  const woken = delay(delayMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([...running.values(), woken]).finally(() => timer.abort());
}

function beginReady(walk: Walk): void {
  const now = walk.options.clock.now();
  const isBusy = (id: string) => walk.running.has(id) || isPaused(walk.pauses.get(id), now);
  for (const ready of findReady(walk.graph, walk.settled, isBusy, walk.root)) {
    const { id } = ready.node;
    const work = runNode(walk, ready).finally(() => walk.running.delete(id));
    walk.running.set(id, work);
  }
}

async function runNode(walk: Walk, { node, incoming }: Ready): Promise<void> {
  const { options, run, held, pauses } = walk;
  const pause = pauses.get(node.id);
  const startedAt = walk.starts.get(node.id) ?? options.clock.now();
  const began = performance.now();
  let shown: Promise<unknown> | undefined;
  const show = setTimeout(() => {
    shown = showRunning(walk, describeRunning({ held, node, startedAt }));
  }, showAfterMs);
  try {
    const { end, runIds } = pause?.is === "waiting" ? { end: endOfWait(pause, incoming.items) } : await execute(walk, { node, incoming });
    clearTimeout(show);
    if (shown) await shown;
    const durationMs = Math.round(performance.now() - began) + (pause?.durationMs ?? 0);
    const row = describeEnd({ held, node, startedAt, durationMs, end, runIds, clock: options.clock });
    if (end.is === "succeeded" || end.is === "failed") await settle(walk, node.id, end, row);
    else await keepPause(walk, node.id, row);
  } catch (error) {
    if (!walk.signal.aborted) options.log.warn({ err: error, runId: run.id, nodeId: node.id }, "a node could not be brought to an end");
    walk.state.isLost = true;
  } finally {
    clearTimeout(show);
  }
}

const endOfWait = ({ attempts }: Pause, items: Item[]): NodeEnd => ({
  is: "succeeded",
  attempts,
  inputs: [],
  filled: [],
  outputs: { out: items },
});

async function execute(walk: Walk, { node, incoming }: Ready): Promise<{ end: NodeEnd; runIds?: string[] }> {
  const { options, run, trigger } = walk;
  const pause = walk.pauses.get(node.id);
  const nodes = Object.fromEntries([...walk.settled].map(([id, one]) => [id, toSeen(itemsOf(one))]));
  const scopeFor = (input: unknown): Scope => ({ trigger, nodes, input, node: { id: node.id, instruction: node.instruction } });
  try {
    const end = await options.executeNode({
      ...{ node, incoming, scopeFor, signal: walk.limitSignal, runId: run.id, organizationId: run.organizationId },
      progress: pause?.is === "retrying" ? pause : noProgress,
      prompt: trigger.prompt,
      assertHeld: walk.slot.assertHeld,
    });
    return end.is === "calling" ? { end, runIds: await options.callRuns(run, node.id, end.runs) } : { end };
  } catch (error) {
    // Either the run is not ours any more, or another process has a better chance.
    if (walk.signal.aborted || isPassing(error)) throw error;
    if (!(error instanceof Refusal)) options.log.error({ err: error, runId: run.id, nodeId: node.id }, "a node failed unexpectedly");
    return { end: failedEnd(node, { attempts: (pause?.attempts ?? 0) + 1, inputs: [], filled: [] }, toFailure(error)) };
  }
}

const failedEnd = (node: GraphNode, common: Pick<NodeEnd, "attempts" | "inputs" | "filled">, error: NodeFailure) => ({
  ...{ is: "failed" as const, ...common, error },
  outputs: node.settings.continueOnError ? { [onlyWay]: [{ error }] } : {},
});

const toSeen = (items: Item[]) => ({ items, first: items[0] });

type Row = ReturnType<typeof describeEnd>;

/** Stores a finished node, and the end of the run with it when nothing is left to do. */
async function settle(walk: Walk, id: string, end: Extract<NodeEnd, { is: "succeeded" | "failed" }>, row: Row): Promise<void> {
  const { options, graph, settled, pauses, running, state } = walk;
  const failure = end.is === "failed" && !graph.get(id)?.settings.continueOnError ? { nodeId: id, error: end.error } : undefined;
  const outcome: Settled = { status: end.is, outputs: end.outputs };
  const afterwards = new Map(settled).set(id, outcome);
  const isBusy = (other: string) => other !== id && (running.has(other) || pauses.has(other));
  const ready = findReady(graph, afterwards, isBusy, walk.root);
  const isLast = running.size <= 1 && (failure !== undefined || (ready.length === 0 && ![...pauses.keys()].some((other) => other !== id)));
  if (isLast) {
    walk.failure ??= failure;
    state.hasEnded = await endRun(walk, afterwards, [row]);
    state.isLost = !state.hasEnded;
    return;
  }
  if (!(await options.checkpoints.add({ nodes: [row] }, walk.signal))) {
    state.isLost = true;
    return;
  }
  walk.failure ??= failure;
  pauses.delete(id);
  settled.set(id, outcome);
}

async function keepPause(walk: Walk, id: string, row: Row): Promise<void> {
  if (await walk.options.checkpoints.add({ nodes: [row] }, walk.signal)) walk.pauses.set(id, pauseOf(row));
  else walk.state.isLost = true;
}

function showRunning(walk: Walk, row: Row): Promise<unknown> {
  const turn = describeTurn(walk, { status: "running" });
  const shown = walk.options.checkpoints.add({ nodes: [row], turn }, walk.signal).catch(() => false);
  walk.shown.push(shown);
  return shown;
}

function describeTurn(walk: Walk, { status, ...more }: Pick<RunTurn, "status"> & Partial<RunTurn>): RunTurn {
  return {
    ...{ ...walk.held, status, startedAt: walk.startedAt, activeMs: walk.activeMs() },
    ...{ errorCode: null, errorMessage: null, errorNodeId: null, wakeAt: null, completedAt: null },
    ...more,
  };
}

/** Nothing runs any more: the run ends, waits, or is handed back. */
async function conclude(walk: Walk): Promise<RunOutcome> {
  const { options, pauses } = walk;
  if (walk.limitSignal.aborted && !walk.failure) walk.failure = { nodeId: "", error: toFailure(walk.limitSignal.reason) };
  const isDone = walk.failure !== undefined || (pauses.size === 0 && !hasMore(walk));
  if (isDone) return (await endRun(walk, walk.settled, [])) ? "ended" : "lost";
  if (hasMore(walk)) return "handed back";
  await Promise.all(walk.shown);
  const turn = describeTurn(walk, { status: "waiting", wakeAt: nextMoment(pauses) });
  const awaitsRuns = [...pauses.values()].some(({ is }) => is === "calling");
  const isHeld = await options.checkpoints.add({ nodes: [], turn, stepAside: { turn: walk.turn, awaitsRuns } }, walk.signal);
  return isHeld ? "aside" : "lost";
}

function hasMore(walk: Walk): boolean {
  const now = walk.options.clock.now();
  return findReady(walk.graph, walk.settled, (id) => isPaused(walk.pauses.get(id), now), walk.root).length > 0;
}

async function endRun(walk: Walk, settled: ReadonlyMap<string, Settled>, rows: Row[]): Promise<boolean> {
  const { options, failure, held, graph, run } = walk;
  await Promise.all(walk.shown);
  const now = options.clock.now();
  const skipped = failure ? [] : [...settled].filter(([, { status }]) => status === "skipped").map(([id]) => id);
  const nodes = [...rows, ...skipped.flatMap((id) => describeSkipped({ held, node: graph.get(id), now }))];
  const turn = describeTurn(walk, {
    status: failure ? "failed" : "succeeded",
    completedAt: now,
    errorCode: failure?.error.code ?? null,
    errorMessage: failure?.error.message ?? null,
    errorNodeId: failure?.nodeId || null,
  });
  return await options.checkpoints.add({ nodes, turn, parentRunId: run.parentRunId }, walk.signal);
}

/** Nodes that started other workflows before the run stepped aside. */
async function resumeCalls(walk: Walk): Promise<void> {
  const { options, run, held, graph, pauses } = walk;
  for (const [id, pause] of [...pauses]) {
    const node = graph.get(id);
    if (walk.state.hasEnded || walk.state.isLost) return;
    if (pause.is !== "calling" || !node) continue;
    const called = await options.readCalled(run, pause.runIds);
    if (!called) continue;
    const { attempts, durationMs } = pause;
    const common = { attempts, inputs: [], filled: [] };
    const end =
      "items" in called
        ? { is: "succeeded" as const, ...common, outputs: { [onlyWay]: called.items } }
        : failedEnd(node, common, called.error);
    const startedAt = walk.starts.get(id) ?? options.clock.now();
    await settle(walk, id, end, describeEnd({ held, node, startedAt, durationMs, end, clock: options.clock }));
  }
}
