import { Refusal } from "../../base/refusal.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import { type NodeEnd, toFailure } from "./node/execute-node.ts";
import { writeItems } from "./node/item-progress.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import { nextTry } from "./node/retries.ts";
import { describeEnd, type Pause } from "./node-rows.ts";
import { failedEnd, storeEnd } from "./store-progress.ts";
import type { Walk } from "./walk.ts";

type Calling = Extract<Pause, { is: "calling" }>;

/** What each node waits for that called other workflows. */
export const callsOf = ({ pauses }: Pick<Walk, "pauses">) =>
  [...pauses].flatMap(([nodeId, pause]) => (pause.is === "calling" ? [{ nodeId, runIds: pause.runIds }] : []));

/** Nodes that called other workflows which have ended. */
export async function resumeCalls(walk: Walk, calls = callsOf(walk)): Promise<void> {
  const { options, run, fence, graph, pauses } = walk;
  for (const [id, ended] of await options.findEndedCalls(run, calls)) {
    const [node, pause] = [graph.get(id), pauses.get(id)];
    if (walk.hasEnded() || walk.isLost()) return;
    // One that runs is just about to give up, and looks itself once more.
    if (!node || pause?.is !== "calling" || walk.running.has(id)) continue;
    const called = await options.readCalled(run, ended);
    // Meanwhile another node may have ended the run.
    if (walk.hasEnded() || walk.isLost()) return;
    const end = endOf(walk, node, { pause, called });
    const { durationMs } = pause;
    const row = describeEnd({ fence, node, startedAt: walk.startOf(id), durationMs, end, clock: options.clock });
    await storeEnd(walk, id, { end, row });
  }
}

/** What becomes of a node whose time is up although what it called goes on. */
export async function giveUpCall(walk: Walk, node: GraphNode, pause: Calling): Promise<NodeEnd> {
  const { options, run } = walk;
  await options.cancelCalled(run, pause.runIds);
  const late = new Refusal(
    "tool_timeout",
    `The called workflow took longer than ${(node.settings.timeoutMs ?? 0) / 1000} s.`,
  );
  // It may have come to its end just before it was cancelled.
  const ended = (await options.findEndedCalls(run, [{ nodeId: node.id, runIds: pause.runIds }])).get(node.id);
  const called = ended && (await options.readCalled(run, ended));
  return endOf(walk, node, { pause, called: called && "items" in called ? called : { error: toFailure(late) } });
}

type Called = Awaited<ReturnType<Walk["options"]["readCalled"]>>;

function endOf(walk: Walk, node: GraphNode, { pause, called }: { pause: Calling; called: Called }): NodeEnd {
  const common = { attempts: pause.attempts, inputs: [], filled: [] };
  if ("error" in called) return endOfFailedCall(walk, node, { common, failures: pause.failures, error: called.error });
  return {
    is: "succeeded",
    ...common,
    outputs: { [onlyWay]: called.items },
    stored: { items: null, done: 1, total: 1 },
  };
}

type FailedCall = {
  common: Pick<NodeEnd, "attempts" | "inputs" | "filled">;
  failures: Calling["failures"];
  error: NodeFailure;
};

/** Also of one that could not be started. */
export function endOfFailedCall(
  { options }: Pick<Walk, "options">,
  node: GraphNode,
  { common, failures, error }: FailedCall,
): NodeEnd {
  const count = (failures.get(0) ?? 0) + 1;
  const next = nextTry(node, { error }, { failures: count, now: options.clock.now() });
  if (!next) return failedEnd(node, common, error);
  const stored = writeItems({ results: new Map(), failures: new Map([[0, count]]) }, {}, 1);
  return { is: "retrying", ...common, ...next, outputs: {}, stored };
}
