import type { Item } from "../../workflows/engine-node.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { collectIncoming, getsNothing, type Incoming, isOpen, type Settled } from "./incoming.ts";

/**
 * Settles the nodes that are not executed although their sources are all done: those that get nothing are skipped, and disabled ones let
 * their items pass. Either may open the way for others, so it goes on until none is left.
 */
export function settlePassed(
  graph: Graph,
  settled: Map<string, Settled>,
  isBusy: (id: string) => boolean,
  root: Item,
): void {
  for (;;) {
    const passed = [...graph.values()].filter((node) => isOpen(node, settled, isBusy) && isPassed(node, settled));
    if (passed.length === 0) return;
    for (const node of passed) settled.set(node.id, passOn(node, collectIncoming(node, settled, root)));
  }
}

/** Whether a node is not executed, because it is disabled or nothing came to it. */
export const isPassed = (node: GraphNode, settled: ReadonlyMap<string, Settled>): boolean =>
  node.settings.disabled || getsNothing(node, settled);

export const passOn = ({ firstWay }: GraphNode, { items, continues = false }: Incoming): Settled => ({
  status: "skipped",
  outputs: { [firstWay]: items },
  passesOn: { empty: continues },
});
