import { Refusal } from "../base/refusal.ts";
import { type NodeEnd, type NodeFailure, toFailure } from "./execute-node.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import { writeItems } from "./item-progress.ts";
import { describeEnd, isPaused, type Pause } from "./node-rows.ts";
import { nextTry } from "./retries.ts";
import { failedEnd, storeEnd } from "./store-progress.ts";
import type { Walk } from "./walk.ts";

type Calling = Extract<Pause, { is: "calling" }>;

/** Nodes that started other workflows before the run stepped aside. */
export async function resumeCalls(walk: Walk): Promise<void> {
  const { options, held, graph, pauses } = walk;
  for (const [id, pause] of [...pauses]) {
    const node = graph.get(id);
    if (walk.state.hasEnded || walk.state.isLost) return;
    if (pause.is !== "calling" || !node) continue;
    const end = await endOfCall(walk, node, pause);
    if (!end) continue;
    const startedAt = walk.starts.get(id) ?? options.clock.now();
    await storeEnd(walk, id, { end, row: describeEnd({ held, node, startedAt, durationMs: pause.durationMs, end, clock: options.clock }) });
  }
}

/** What became of a node that called other workflows; undefined while they go on and there is time left. */
export async function endOfCall(walk: Walk, node: GraphNode, pause: Calling): Promise<NodeEnd | undefined> {
  const { options, run } = walk;
  const called = (await options.readCalled(run, pause.runIds)) ?? (await giveUp(walk, node, pause));
  if (!called) return undefined;
  const common = { attempts: pause.attempts, inputs: [], filled: [] };
  if ("error" in called) return tryAgain(walk, node, { common, failures: pause.failures, error: called.error });
  return { is: "succeeded", ...common, outputs: { [onlyWay]: called.items }, stored: { items: null, done: 1, total: 1 } };
}

async function giveUp({ options, run }: Walk, { settings }: GraphNode, pause: Calling) {
  if (isPaused(pause, options.clock.now())) return undefined;
  await options.cancelCalled(run, pause.runIds);
  const late = new Refusal("tool_timeout", `The called workflow took longer than ${(settings.timeoutMs ?? 0) / 1000} s.`);
  // It may have come to its end just before it was cancelled.
  const called = await options.readCalled(run, pause.runIds);
  return called && "items" in called ? called : { error: toFailure(late) };
}

type FailedCall = { common: Pick<NodeEnd, "attempts" | "inputs" | "filled">; failures: Calling["failures"]; error: NodeFailure };

function tryAgain({ options }: Walk, node: GraphNode, { common, failures, error }: FailedCall): NodeEnd {
  const count = (failures.get(0) ?? 0) + 1;
  const next = nextTry(node, { error }, { failures: count, now: options.clock.now() });
  if (!next) return failedEnd(node, common, error);
  const stored = writeItems({ results: new Map(), failures: new Map([[0, count]]) }, {}, 1);
  return { is: "retrying", ...common, ...next, outputs: {}, stored };
}
