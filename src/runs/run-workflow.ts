import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "../base/refusal.ts";
import { endAfter, type Span } from "../base/tracing.ts";
import type { Item } from "../workflows/engine-node.ts";
import { buildScope } from "./build-scope.ts";
import type { RunTurn } from "./checkpoint-store.ts";
import { isPassing, type NodeEnd, type NodeFailure, toFailure } from "./execute-node.ts";
import { findReady, type Ready, type Settled } from "./find-ready.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import { describeEnd, describeError, describeRunning, describeSkipped, isPaused, nextMoment, type Pause, pauseOf } from "./node-rows.ts";
import { noProgress } from "./node-task.ts";
import type { AdoptedRun } from "./store.ts";
import type { Ended } from "./unstored-ends.ts";
import { beginWalk, type Circumstances, type Walk, type WalkOptions } from "./walk.ts";
import { canGoOn, whatIsLeft } from "./what-is-left.ts";

export type RunOutcome =
  | "ended"
  /** It waits for a moment or for other runs, and is in the queue again. */
  | "aside"
  /** Another process has it, or it was cancelled: nothing more may be done for it. */
  | "lost"
  /** This process stops; another one goes on. */
  | "handed back";

export type RunWorkflow = ReturnType<typeof createRunWorkflow>;

const longestTimerMs = 60_000;
/** After this time somebody may be watching, so that it is shown what a run is busy with. */
const showAfterMs = 100;
/** What took longer is stored at once, so that it is not done again. */
const quickMs = 20;

/** Follows the graph of a run from where it stands to where it ends or has to wait. A finished node is stored before anything that follows it reaches out. */
export function createRunWorkflow(options: WalkOptions) {
  return async (run: AdoptedRun, circumstances: Circumstances): Promise<RunOutcome> => {
    const walk = await beginWalk(options, run, circumstances);
    if (run.startedAt === null) options.observe.began(walk.startedAt.getTime() - run.queuedAt.getTime());
    try {
      const outcome = await followGraph(walk);
      circumstances.trace.end(describeOutcome(outcome, walk));
      if (outcome === "ended") options.observe.ended(walk.failure ? "failed" : "succeeded", { activeMs: walk.activeMs() });
      return outcome;
    } finally {
      walk.close();
    }
  };
}

const describeOutcome = (outcome: RunOutcome, { failure }: Walk) => ({
  "switchyard.run.outcome": outcome === "ended" ? (failure ? "failed" : "succeeded") : outcome,
  ...(failure ? { "error.type": failure.error.code } : {}),
});

async function followGraph(walk: Walk): Promise<RunOutcome> {
  await storeKeptEnds(walk);
  await resumeCalls(walk);
  while (!walk.state.isLost && !walk.state.hasEnded) {
    if (canBegin(walk)) beginReady(walk);
    if (walk.running.size > 0) await whenSomethingChanges(walk);
    else if (!canBegin(walk) || !hasMore(walk)) break;
  }
  if (walk.state.hasEnded) return "ended";
  // What is under way here must have come to its end before anybody begins it again.
  await Promise.allSettled(walk.running.values());
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
    // Begun only once all of them are noted as running: one may end at once, and must see the others.
    const work = Promise.resolve()
      .then(() => runNode(walk, ready))
      .finally(() => walk.running.delete(id));
    walk.running.set(id, work);
  }
}

async function runNode(walk: Walk, { node, incoming }: Ready): Promise<void> {
  const { options, held, pauses } = walk;
  const pause = pauses.get(node.id);
  const startedAt = walk.starts.get(node.id) ?? options.clock.now();
  const began = performance.now();
  let shown: Promise<unknown> | undefined;
  let ended: Ended | undefined;
  const show = setTimeout(() => {
    shown = showRunning(walk, describeRunning({ held, node, startedAt }));
  }, showAfterMs);
  try {
    const { end, runIds } = pause?.is === "waiting" ? { end: endOfWait(pause, incoming.items) } : await execute(walk, { node, incoming });
    clearTimeout(show);
    if (shown) await shown;
    const durationMs = Math.round(performance.now() - began) + (pause?.durationMs ?? 0);
    ended = { end, row: describeEnd({ held, node, startedAt, durationMs, end, runIds, clock: options.clock }) };
    await storeEnd(walk, node.id, ended);
  } catch (error) {
    if (ended) options.unstored.keep(walk.run.id, node.id, ended);
    if (!walk.signal.aborted) options.log.warn({ err: error, ...describePlace(walk, node) }, "a node could not be brought to an end");
    walk.state.isLost = true;
  } finally {
    clearTimeout(show);
  }
}

const describePlace = ({ run, trace }: Walk, { id }: GraphNode) => ({ runId: run.id, nodeId: id, traceId: trace.traceId });

const endOfWait = ({ attempts }: Pause, items: Item[]): NodeEnd => ({
  is: "succeeded",
  attempts,
  inputs: [],
  filled: [],
  outputs: { out: items },
});

type Executed = { end: NodeEnd; runIds?: string[] };

async function execute(walk: Walk, ready: Ready): Promise<Executed> {
  const { id, type } = ready.node;
  const facts = { "switchyard.node.id": id, "switchyard.node.type": type };
  const trace = walk.trace.begin(`node ${type}`, facts);
  return await endAfter(trace, () => executeIn(trace, walk, ready), describeEndOfNode);
}

const describeEndOfNode = ({ end }: Executed) => ({
  "switchyard.node.attempt": end.attempts,
  ...("error" in end ? { "error.type": end.error.code } : {}),
});

async function executeIn(trace: Span, walk: Walk, { node, incoming }: Ready): Promise<Executed> {
  const { options, run, trigger } = walk;
  const pause = walk.pauses.get(node.id);
  const scopeFor = buildScope({ trigger, settled: walk.settled, node });
  try {
    const end = await options.executeNode({
      ...{ node, incoming, scopeFor, signal: walk.limitSignal, runId: run.id, organizationId: run.organizationId },
      progress: pause?.is === "retrying" ? pause : noProgress,
      prompt: trigger.prompt,
      ...{ assertHeld: walk.slot.assertHeld, trace },
    });
    return end.is === "calling" ? { end, runIds: await options.callRuns(run, node.id, end.runs, trace) } : { end };
  } catch (error) {
    // Either the run is not ours any more, or another process has a better chance.
    if (walk.signal.aborted || isPassing(error)) throw error;
    if (!(error instanceof Refusal)) options.log.error({ err: error, ...describePlace(walk, node) }, "a node failed unexpectedly");
    return { end: failedEnd(node, { attempts: (pause?.attempts ?? 0) + 1, inputs: [], filled: [] }, toFailure(error)) };
  }
}

const failedEnd = (node: GraphNode, common: Pick<NodeEnd, "attempts" | "inputs" | "filled">, error: NodeFailure) => ({
  ...{ is: "failed" as const, ...common, error },
  outputs: node.settings.continueOnError ? { [onlyWay]: [{ error }] } : {},
});

type Row = ReturnType<typeof describeEnd>;

async function storeEnd(walk: Walk, id: string, { end, row }: Ended): Promise<void> {
  if (end.is === "succeeded" || end.is === "failed") await settle(walk, id, end, row);
  else await keepPause(walk, id, row);
}

/** What this process executed when it had the run before, and could not store. */
async function storeKeptEnds(walk: Walk): Promise<void> {
  for (const [id, ended] of walk.options.unstored.take(walk.run.id)) {
    if (walk.state.hasEnded || walk.settled.has(id)) continue;
    const kept = { ...ended, row: { ...ended.row, ...walk.held } };
    await storeEnd(walk, id, kept).catch((error: unknown) => {
      walk.options.unstored.keep(walk.run.id, id, kept);
      throw error;
    });
  }
}

/** Stores a finished node, and the end of the run with it when nothing is left to do. */
async function settle(walk: Walk, id: string, end: Extract<NodeEnd, { is: "succeeded" | "failed" }>, row: Row): Promise<void> {
  const { options, graph, settled, pauses, state, writer } = walk;
  const isPure = (node: GraphNode | undefined) => node !== undefined && options.isPure(node);
  const isFailure = end.is === "failed" && (!graph.get(id)?.settings.continueOnError || end.error.code === "run_timeout");
  const failure = isFailure ? { nodeId: id, error: end.error } : undefined;
  const outcome: Settled = { status: end.is, outputs: end.outputs };
  const afterwards = new Map(settled).set(id, outcome);
  const { ready, isOver } = whatIsLeft({ ...walk, failure: walk.failure ?? failure }, afterwards, id);
  if (isOver) {
    walk.failure ??= failure;
    state.hasEnded = await endRun(walk, afterwards, [row]);
    state.isLost = !state.hasEnded;
    return;
  }
  const mayWait = end.is === "succeeded" && row.durationMs < quickMs && [graph.get(id), ...ready.map(({ node }) => node)].every(isPure);
  if (!(mayWait && writer.holdBack(row)) && !(await writer.write({ nodes: [row] }))) {
    state.isLost = true;
    return;
  }
  walk.failure ??= failure;
  pauses.delete(id);
  settled.set(id, outcome);
}

async function keepPause(walk: Walk, id: string, row: Row): Promise<void> {
  if (await walk.writer.write({ nodes: [row] })) walk.pauses.set(id, pauseOf(row));
  else walk.state.isLost = true;
}

function showRunning(walk: Walk, row: Row): Promise<unknown> {
  const turn = describeTurn(walk, { status: "running" });
  const shown = walk.writer.write({ nodes: [row], turn }).catch(() => false);
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
  const { pauses } = walk;
  if (walk.limitSignal.aborted && !walk.failure) walk.failure = { nodeId: "", error: toFailure(walk.limitSignal.reason) };
  if (whatIsLeft(walk, walk.settled).isOver) return (await endRun(walk, walk.settled, [])) ? "ended" : "lost";
  if (hasMore(walk)) return "handed back";
  await Promise.all(walk.shown);
  const turn = describeTurn(walk, { status: "waiting", wakeAt: nextMoment(pauses) });
  const awaitsRuns = [...pauses.values()].some(({ is }) => is === "calling");
  const isHeld = await walk.writer.write({ nodes: [], turn, stepAside: { turn: walk.turn, awaitsRuns } });
  return isHeld ? "aside" : "lost";
}

const hasMore = (walk: Walk): boolean => canGoOn(walk, walk.settled, walk.options.clock.now());

async function endRun(walk: Walk, settled: ReadonlyMap<string, Settled>, rows: Row[]): Promise<boolean> {
  const { options, failure, held, graph, run } = walk;
  await Promise.all(walk.shown);
  const now = options.clock.now();
  const skipped = failure ? [] : [...settled].filter(([, { status }]) => status === "skipped").map(([id]) => id);
  const nodes = [...rows, ...skipped.flatMap((id) => describeSkipped({ held, node: graph.get(id), now }))];
  const turn = describeTurn(walk, {
    status: failure ? "failed" : "succeeded",
    completedAt: now,
    ...describeError(failure?.error),
    errorNodeId: failure?.nodeId || null,
  });
  return await walk.writer.write({ nodes, turn, parentRunId: run.parentRunId });
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
