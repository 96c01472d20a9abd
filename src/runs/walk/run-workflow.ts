import { setTimeout as delay } from "node:timers/promises";
import { asUnclear } from "../../base/effect.ts";
import { Refusal } from "../../base/refusal.ts";
import { endAfter, type Span } from "../../base/tracing.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import type { Item } from "../../workflows/engine-node.ts";
import type { AdoptedRun } from "../store.ts";
import type { NodeRow } from "./checkpoint-store.ts";
import type { Ready } from "./find-ready.ts";
import type { GraphNode } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { buildScope } from "./node/build-scope.ts";
import { requireFew } from "./node/collect-outcomes.ts";
import { isPassing, type NodeEnd, passThrough, toFailure } from "./node/execute-node.ts";
import { hideTypedSecrets } from "./node/hide-typed-secrets.ts";
import { noItems, writeItems } from "./node/item-progress.ts";
import { noProgress } from "./node/node-task.ts";
import { describeEnd, nextMoment, type Pause } from "./node-rows.ts";
import { callsOf, endOfFailedCall, giveUpCall, resumeCalls } from "./resume-calls.ts";
import { describeState, endInterrupted, endRun, failedEnd, storeEnd, storeKeptEnds, trackNode } from "./store-progress.ts";
import type { NodeTracker } from "./track-node.ts";
import type { Ended } from "./unstored-ends.ts";
import { beginWalk, type Walk, type WalkContext, type WalkOptions } from "./walk.ts";
import { settleAndFind, whatIsLeft } from "./what-is-left.ts";

export type RunOutcome =
  | "ended"
  /** It waits for a moment or for other runs, and is in the queue again. */
  | "aside"
  /** Another process has it, or it was cancelled: nothing more may be done for it. */
  | "lost"
  /** This process stops; another one goes on. */
  | "handed back";

/** `nodes`: all that is stored of the nodes of a run that has ended, where this process knows it. */
export type Followed = { outcome: RunOutcome; nodes?: NodeRow[] | undefined };

export type RunWorkflow = ReturnType<typeof createRunWorkflow>;

const longestTimerMs = 60_000;
/** That a called workflow has ended is heard of; a word may be lost, so it is also looked now and then. */
const lookEveryMs = 5_000;
/** After this time somebody may be watching, so that it is shown what a run is busy with. */
const showAfterMs = 100;
/** Follows the graph of a run from where it stands to where it ends or has to wait. A finished node is stored before anything that follows it reaches out. */
export function createRunWorkflow(options: WalkOptions) {
  return async (run: AdoptedRun, context: WalkContext): Promise<Followed> => {
    const walk = await beginWalk(options, run, context);
    if (run.startedAt === null) options.observe.began(walk.startedAt.getTime() - run.queuedAt.getTime());
    try {
      const outcome = await followGraph(walk);
      context.trace.end(describeOutcome(outcome, walk));
      if (outcome === "ended") options.observe.ended(walk.failure ? "failed" : "succeeded", { activeMs: walk.activeMs() });
      return { outcome, nodes: run.isResumed ? undefined : walk.writer.onlyWrite() };
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
  await endInterrupted(walk);
  await resumeCalls(walk);
  walk.lookAtCalls.again = performance.now() + lookEveryMs;
  while (!walk.state.isLost && !walk.state.hasEnded) {
    await lookAtCalls(walk);
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

/** While other nodes still run: what follows a called workflow does not have to wait for them. */
async function lookAtCalls(walk: Walk): Promise<void> {
  // Where nothing runs, the run steps aside or begins something first; whoever steps aside is told what has ended.
  if (performance.now() >= walk.lookAtCalls.again) walk.calledEnds.tell();
  const calls = walk.running.size === 0 ? [] : walk.calledEnds.take(() => callsOf(walk));
  if (calls.length === 0) return;
  walk.lookAtCalls.again = performance.now() + lookEveryMs;
  try {
    await resumeCalls(walk, calls);
  } catch (error) {
    // It is looked again soon; what runs goes on.
    if (isDatabaseUnavailable(error)) return;
    if (!walk.signal.aborted) walk.options.log.warn({ err: error, runId: walk.run.id }, "what called workflows gave could not be read");
    walk.state.isLost = true;
  }
}

/** A node has ended, or one that paused can go on although others still run. */
async function whenSomethingChanges(walk: Walk): Promise<void> {
  const { running, pauses, options, calledEnds } = walk;
  const moment = canBegin(walk) ? nextMoment(pauses, (id) => running.has(id)) : null;
  const awaitsCalls = canBegin(walk) && callsOf(walk).length > 0;
  const changes = [...running.values(), ...(awaitsCalls ? [calledEnds.told()] : [])];
  if (!moment && !awaitsCalls) return void (await Promise.race(changes));
  const timer = new AbortController();
  const longestMs = awaitsCalls ? Math.max(walk.lookAtCalls.again - performance.now(), 1) : longestTimerMs;
  const delayMs = Math.min(moment ? Math.max(moment.getTime() - options.clock.now().getTime(), 1) : longestMs, longestMs);
  const woken = delay(delayMs, undefined, { signal: timer.signal }).then(
    () => awaitsCalls && calledEnds.tell(),
    () => {},
  );
  await Promise.race([...changes, woken]).finally(() => timer.abort());
}

function beginReady(walk: Walk): void {
  for (const ready of settleAndFind(walk, walk.settled, walk.options.clock.now())) {
    const { id } = ready.node;
    // Begun only once all of them are noted as running: one may end at once, and must see the others.
    const work = Promise.resolve()
      .then(() => runNode(walk, ready))
      .finally(() => walk.running.delete(id));
    walk.running.set(id, work);
  }
  // One that is passed by now, in another version than it paused in, has nothing to wait for.
  for (const id of walk.pauses.keys()) if (walk.settled.has(id)) walk.pauses.delete(id);
}

async function runNode(walk: Walk, ready: Ready): Promise<void> {
  const { node } = ready;
  const { options, fence, pauses } = walk;
  const pause = pauses.get(node.id);
  const startedAt = walk.starts.get(node.id) ?? options.clock.now();
  walk.starts.set(node.id, startedAt);
  const tracker = trackNode(walk, { node, startedAt, attempts: (pause?.attempts ?? 0) + 1 });
  walk.trackers.set(node.id, tracker);
  const began = performance.now();
  let ended: Ended | undefined;
  // What waits, or gives up waiting, must not be taken for something that began anew.
  const show = pause && pause.is !== "retrying" ? undefined : setTimeout(tracker.show, showAfterMs);
  try {
    const { end: told, runIds } = await executeOrWait(walk, ready);
    const end = await hideTypedSecrets(told, walk.run.organizationId, options.findStoredOf);
    clearTimeout(show);
    await tracker.settled();
    const durationMs = Math.round(performance.now() - began) + (pause?.durationMs ?? 0);
    ended = { end, row: describeEnd({ fence, node, startedAt, durationMs, end, runIds, clock: options.clock }) };
    // Nothing may be stored after what could not be: the run would end without it.
    if (walk.state.isLost) throw new Refusal("slot_lost", "The run cannot go on here.");
    await storeEnd(walk, node.id, ended);
  } catch (error) {
    if (ended) options.unstored.keep(walk.run.id, node.id, ended);
    else await tracker.flush().catch(() => {});
    if (!walk.signal.aborted) options.log.warn({ err: error, ...describePlace(walk, node) }, "a node could not be brought to an end");
    walk.state.isLost = true;
  } finally {
    clearTimeout(show);
    // What it gave must not be held by this.
    walk.trackers.delete(node.id);
  }
}

const describePlace = ({ run, trace }: Walk, { id }: GraphNode) => ({ runId: run.id, nodeId: id, traceId: trace.traceId });

/** With what it needs of other nodes in memory, and no longer than it takes. */
async function executeOrWait(walk: Walk, ready: Ready): Promise<Executed> {
  const pause = walk.pauses.get(ready.node.id);
  const attempts = pause?.is === "waiting" ? pause.attempts : (pause?.attempts ?? 0) + 1;
  const loaded = await walk.kept.load(ready).catch((error: unknown) => endOfTooMuch(ready.node, attempts, error));
  if ("end" in loaded) return loaded;
  try {
    if (pause?.is === "waiting") return { end: endOfWait(pause, loaded.incoming.items) };
    if (pause?.is === "calling") return { end: await giveUpCall(walk, ready.node, pause) };
    return await execute(walk, { node: ready.node, ...loaded });
  } catch (error) {
    return endOfTooMuch(ready.node, attempts, error);
  } finally {
    loaded.release();
  }
}

function endOfTooMuch(node: GraphNode, attempts: number, error: unknown): Executed {
  if (!(error instanceof Refusal) || error.code !== "outputs_too_large") throw error;
  return { end: failedEnd(node, { attempts, inputs: [], filled: [] }, toFailure(error)) };
}

function endOfWait({ attempts }: Pause, items: Item[]): NodeEnd {
  const given = passThrough(requireFew(items));
  return { is: "succeeded", attempts, inputs: [], filled: [], ...given, stored: writeItems(noItems, given.origins, 1) };
}

type Executed = { end: NodeEnd; runIds?: string[] };

type Executable = Ready & { settled: ReadonlyMap<string, Settled> };

async function execute(walk: Walk, ready: Executable): Promise<Executed> {
  const { id, type } = ready.node;
  const facts = { "switchyard.node.id": id, "switchyard.node.type": type };
  const trace = walk.trace.begin(`node ${type}`, facts);
  return await endAfter(trace, () => executeIn(trace, walk, ready), describeEndOfNode);
}

const describeEndOfNode = ({ end }: Executed) => ({
  "switchyard.node.attempt": end.attempts,
  ...("error" in end ? { "error.type": end.error.code } : {}),
});

async function executeIn(trace: Span, walk: Walk, { node, incoming, settled }: Executable): Promise<Executed> {
  const { options, run, trigger } = walk;
  const pause = walk.pauses.get(node.id);
  const attempts = (pause?.attempts ?? 0) + 1;
  const tracker = walk.trackers.get(node.id) as NodeTracker;
  const scopeFor = buildScope({ trigger, graph: walk.graph, settled, node });
  try {
    const end = await options.executeNode({
      ...{ node, incoming, scopeFor, signal: walk.limitSignal, runId: run.id, organizationId: run.organizationId },
      progress: pause?.is === "retrying" ? pause : noProgress,
      prompt: trigger.prompt,
      ...{ assertHeld: walk.slot.assertHeld, isStopping: walk.isStopping, trace },
      ...{ begin: tracker.begin, onProgress: tracker.onProgress, enterCall: walk.enterCall },
    });
    return end.is === "calling" ? await startCalled(trace, walk, { node, end }) : { end };
  } catch (error) {
    requireFailure(walk, node, error);
    return { end: failedEnd(node, { attempts, inputs: [], filled: [] }, toFailure(asToldAfterReaching(walk, node, error))) };
  }
}

/** Starts what a node calls. Where that fails, it is tried again as often as what was called would be. */
async function startCalled(trace: Span, walk: Walk, { node, end }: { node: GraphNode; end: Calling }): Promise<Executed> {
  const pause = walk.pauses.get(node.id);
  try {
    return { end, runIds: await walk.options.callRuns(walk.run, node.id, end.runs, trace) };
  } catch (error) {
    requireFailure(walk, node, error);
    const { attempts, inputs, filled } = end;
    const failures = pause?.is === "retrying" ? pause.failures : noItems.failures;
    return { end: endOfFailedCall(walk, node, { common: { attempts, inputs, filled }, failures, error: toFailure(error) }) };
  }
}

type Calling = Extract<NodeEnd, { is: "calling" }>;

/** Throws what says nothing about the node: either the run is not ours any more, or another process has a better chance. */
function requireFailure(walk: Walk, node: GraphNode, error: unknown): void {
  if (walk.signal.aborted || isPassing(error)) throw error;
  if (!(error instanceof Refusal)) walk.options.log.error({ err: error, ...describePlace(walk, node) }, "a node failed unexpectedly");
}

const asToldAfterReaching = ({ trackers }: Walk, { id }: GraphNode, error: unknown): unknown =>
  error instanceof Refusal && trackers.get(id)?.mustNotRepeat() ? asUnclear(error) : error;

/** Nothing runs any more: the run ends, waits, or is handed back. */
async function conclude(walk: Walk): Promise<RunOutcome> {
  const { pauses } = walk;
  if (walk.limitSignal.aborted && !walk.failure) walk.failure = { nodeId: "", error: toFailure(walk.limitSignal.reason) };
  if (whatIsLeft(walk, walk.settled).isOver) return (await endRun(walk, walk.settled, [])) ? "ended" : "lost";
  if (hasMore(walk)) return "handed back";
  await Promise.all([...walk.shown]);
  const state = describeState(walk, { status: "waiting", wakeAt: nextMoment(pauses) });
  const awaits = callsOf(walk).map(({ runIds }) => runIds);
  const isOwned = await walk.writer.write({ nodes: [], state, stepAside: { claim: walk.claim, awaits } });
  return isOwned ? "aside" : "lost";
}

const hasMore = (walk: Walk): boolean => settleAndFind(walk, walk.settled, walk.options.clock.now()).length > 0;
