import type { Item } from "../../workflows/engine-node.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { collectIncoming, type Incoming, isOpen, type Settled } from "./incoming.ts";
import { isPassed } from "./pass-on.ts";

export type Ready = { node: GraphNode; incoming: Incoming };

/**
 * Which nodes can begin: those whose sources are all done and that get at least one item or an empty list to continue with, or have no source.
 * It only finds. What is not executed has to be settled before (`pass-on.ts`), because it may open the way for others.
 */
export function findReady(
  graph: Graph,
  settled: ReadonlyMap<string, Settled>,
  isBusy: (id: string) => boolean,
  root: Item,
): Ready[] {
  const ready: Ready[] = [];
  for (const node of graph.values())
    if (isOpen(node, settled, isBusy) && !isPassed(node, settled))
      ready.push({ node, incoming: collectIncoming(node, settled, root) });
  return ready;
}
