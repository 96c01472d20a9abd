import type { Item, Scope, TriggerData } from "../workflows/engine-node.ts";
import { itemsOf, type Settled } from "./find-ready.ts";
import type { GraphNode } from "./graph.ts";

type Surroundings = { trigger: TriggerData; settled: ReadonlyMap<string, Settled>; node: Pick<GraphNode, "id" | "instruction"> };

/** What expressions of a node see once those nodes are done, for each thing that comes in. */
export function buildScope({ trigger, settled, node: { id, instruction } }: Surroundings): (input: unknown) => Scope {
  const nodes = Object.fromEntries([...settled].map(([other, one]) => [other, toSeen(itemsOf(one))]));
  return (input) => ({ trigger, nodes, input, node: { id, instruction } });
}

const toSeen = (items: Item[]) => ({ items, first: items[0] });
