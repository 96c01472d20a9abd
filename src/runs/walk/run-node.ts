import { asUnclear } from "../../base/effect.ts";
import { Refusal } from "../../base/refusal.ts";
import { endAfter, type Span } from "../../base/tracing.ts";
import type { Item } from "../../workflows/engine-node.ts";
import type { Ready } from "./find-ready.ts";
import type { GraphNode } from "./graph.ts";
import type { Loaded } from "./kept-outputs.ts";
import { buildScope } from "./node/build-scope.ts";
import { requireFew } from "./node/collect-outcomes.ts";
import { isPassing, type NodeEnd, passThrough, toFailure } from "./node/execute-node.ts";
import { hideTypedSecrets } from "./node/hide-typed-secrets.ts";
import { noItems, writeItems } from "./node/item-progress.ts";
import { noProgress } from "./node/node-task.ts";
import { describeEnd, type Pause } from "./node-rows.ts";
import { endOfFailedCall, giveUpCall } from "./resume-calls.ts";
import { failedEnd, storeEnd, trackNode } from "./store-progress.ts";
import type { NodeTracker } from "./track-node.ts";
import type { Ended } from "./unstored-ends.ts";
import type { Walk } from "./walk.ts";

/** After this time somebody may be watching, and is shown what a run is busy with. */
const showAfterMs = 100;

/** A node that was found ready, from where it paused if it did. */
type Attempt = { node: GraphNode; pause: Pause | undefined; attempts: number; tracker: NodeTracker };

/** Executes a node and stores how it ended, or that it goes on later. It never rejects: where either cannot be done here, the run is lost to this process. */
export async function runNode(walk: Walk, ready: Ready): Promise<void> {
  const { node } = ready;
  const { options, fence } = walk;
  const pause = walk.pauses.get(node.id);
  const startedAt = walk.startOf(node.id);
  const attempts = (pause?.attempts ?? 0) + 1;
  const tracker = trackNode(walk, { node, startedAt, attempts });
  const began = performance.now();
  let ended: Ended | undefined;
  // What waits, or gives up waiting, must not be taken for something that began anew.
  const show = pause && pause.is !== "retrying" ? undefined : setTimeout(tracker.show, showAfterMs);
  try {
    const { end: told, runIds } = await executeOrWait(walk, ready, { node, pause, attempts, tracker });
    const end = await hideTypedSecrets(told, walk.run.organizationId, options.findStoredOf);
    clearTimeout(show);
    await tracker.settled();
    const durationMs = Math.round(performance.now() - began) + (pause?.durationMs ?? 0);
    ended = { end, row: describeEnd({ fence, node, startedAt, durationMs, end, runIds, clock: options.clock }) };
    // Nothing may be stored after what could not be: the run would end without it.
    if (walk.isLost()) throw new Refusal("slot_lost", "The run cannot go on here.");
    await storeEnd(walk, node.id, ended);
  } catch (error) {
    if (ended) options.unstored.keep(walk.run.id, node.id, ended);
    else await tracker.flush().catch(() => {});
    if (!walk.signal.aborted)
      options.log.warn({ err: error, ...describePlace(walk, node) }, "a node could not be brought to an end");
    walk.lose();
  } finally {
    clearTimeout(show);
  }
}

const describePlace = ({ run, trace }: Walk, { id }: GraphNode) => ({
  runId: run.id,
  nodeId: id,
  traceId: trace.traceId,
});

/** Loads the outputs of other nodes that a node needs, and lets go of them once it is over. */
async function executeOrWait(walk: Walk, ready: Ready, attempt: Attempt): Promise<Executed> {
  const { node, pause } = attempt;
  // To have waited is no attempt of its own.
  const attempts = pause?.is === "waiting" ? pause.attempts : attempt.attempts;
  const loaded = await walk.load(ready).catch((error: unknown) => endOfTooMuch(node, attempts, error));
  if ("end" in loaded) return loaded;
  try {
    if (pause?.is === "waiting") return { end: endOfWait(pause, loaded.incoming.items) };
    if (pause?.is === "calling") return { end: await giveUpCall(walk, node, pause) };
    return await execute(walk, attempt, loaded);
  } catch (error) {
    return endOfTooMuch(node, attempts, error);
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

async function execute(walk: Walk, attempt: Attempt, loaded: Loaded): Promise<Executed> {
  const { id, type } = attempt.node;
  const facts = { "switchyard.node.id": id, "switchyard.node.type": type };
  const trace = walk.trace.begin(`node ${type}`, facts);
  return await endAfter(trace, () => executeIn(trace, walk, attempt, loaded), describeEndOfNode);
}

const describeEndOfNode = ({ end }: Executed) => ({
  "switchyard.node.attempt": end.attempts,
  ...("error" in end ? { "error.type": end.error.code } : {}),
});

async function executeIn(trace: Span, walk: Walk, attempt: Attempt, { incoming, settled }: Loaded): Promise<Executed> {
  const { options, run, trigger, vars } = walk;
  const { node, pause, attempts, tracker } = attempt;
  const scopeFor = buildScope({ trigger, vars, graph: walk.graph, settled, node });
  try {
    const end = await options.executeNode({
      node,
      incoming,
      scopeFor,
      signal: walk.limitSignal,
      runId: run.id,
      organizationId: run.organizationId,
      progress: pause?.is === "retrying" ? pause : noProgress,
      prompt: trigger.prompt,
      assertHeld: walk.slot.assertHeld,
      isStopping: walk.isStopping,
      trace,
      begin: tracker.begin,
      onProgress: tracker.onProgress,
      enterCall: walk.enterCall,
    });
    return end.is === "calling" ? await startCalled(trace, walk, attempt, end) : { end };
  } catch (error) {
    requireFailure(walk, node, error);
    const told = error instanceof Refusal && tracker.mustNotRepeat() ? asUnclear(error) : error;
    return { end: failedEnd(node, { attempts, inputs: [], filled: [] }, toFailure(told)) };
  }
}

/** Starts what a node calls. Where that fails, it is tried again as often as what was called would be. */
async function startCalled(trace: Span, walk: Walk, { node, pause }: Attempt, end: Calling): Promise<Executed> {
  try {
    return { end, runIds: await walk.options.callRuns(walk.run, node.id, end.runs, trace) };
  } catch (error) {
    requireFailure(walk, node, error);
    const { attempts, inputs, filled } = end;
    const failures = pause?.is === "retrying" ? pause.failures : noItems.failures;
    return {
      end: endOfFailedCall(walk, node, { common: { attempts, inputs, filled }, failures, error: toFailure(error) }),
    };
  }
}

type Calling = Extract<NodeEnd, { is: "calling" }>;

/** Throws what says nothing about the node: either the run is not ours any more, or another process has a better chance. */
function requireFailure(walk: Walk, node: GraphNode, error: unknown): void {
  if (walk.signal.aborted || isPassing(error)) throw error;
  if (!(error instanceof Refusal))
    walk.options.log.error({ err: error, ...describePlace(walk, node) }, "a node failed unexpectedly");
}
