import type { Item, Scope, TriggerData } from "../../../workflows/engine-node.ts";
import type { Graph, GraphNode } from "../graph.ts";
import { itemsOf, type Settled } from "../incoming.ts";
import { findPair } from "./find-origin.ts";

type ScopeContext = {
  trigger: TriggerData;
  vars: Scope["vars"];
  graph: Graph;
  settled: ReadonlyMap<string, Settled>;
  node: GraphNode;
};

/** What an execution is for: one item by its place, or all of them. */
type Given = { input: unknown; index: number; isForItem: boolean; items: Item[] };

/** What expressions of a node see once those nodes are done, for each thing that comes in. */
export function buildScope({ trigger, vars, graph, settled, node }: ScopeContext): (given: Given) => Scope {
  const { id, instruction } = node;
  const nodes = Object.fromEntries([...settled].map(([other, one]) => [other, toSeen(itemsOf(one))]));
  return ({ input, index, isForItem, items }) => ({
    trigger,
    nodes,
    input,
    node: { id, instruction },
    vars,
    pairOf: (other) => {
      if (!isForItem && items.length !== 1) return { fault: `the node takes ${items.length} items at once` };
      return findPair({ graph, settled }, { node, place: isForItem ? index : 0 }, other);
    },
  });
}

const toSeen = (items: Item[]) => ({ items, first: items[0] });
