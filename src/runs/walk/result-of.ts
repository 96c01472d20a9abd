import type { Item } from "../../workflows/engine-node.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { collectIncoming, itemsOf, type Settled } from "./incoming.ts";
import { passOn } from "./pass-on.ts";

/** What came out of a run that succeeded: the items of all nodes that nothing follows. A disabled one among them gives what came to it. */
export function resultOf(graph: Graph, settled: ReadonlyMap<string, Settled>, root: Item): Item[] {
  const known = new Map(settled);
  function find(id: string): Settled {
    const node = graph.get(id);
    if (!known.has(id) && node?.settings.disabled) {
      for (const { source } of node.incoming) find(source);
      known.set(id, passOn(node, collectIncoming(node, known, root)));
    }
    return known.get(id) ?? { status: "skipped", outputs: {} };
  }
  return findLast(graph).flatMap(({ id }) => itemsOf(find(id)));
}

/** The nodes whose items a result is made of. */
export function resultSources(graph: Graph): string[] {
  const found = new Set(findLast(graph).map(({ id }) => id));
  for (const id of found) {
    const node = graph.get(id);
    if (node?.settings.disabled) for (const { source } of node.incoming) found.add(source);
  }
  return [...found];
}

const findLast = (graph: Graph): GraphNode[] => [...graph.values()].filter(({ next }) => next.length === 0);
