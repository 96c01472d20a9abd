import type { Item } from "../../../workflows/engine-node.ts";
import type { Graph, GraphNode } from "../graph.ts";
import { type Settled, segmentsOf } from "../incoming.ts";
import type { Origin } from "./item-progress.ts";

/** The item of an earlier node that another item came from, or in words why there is none. */
export type Pair = { item: Item } | { fault: string };

type GraphContext = { graph: Graph; settled: ReadonlyMap<string, Settled> };
type Place = { source: string; way: string; position: number };

/** Follows an incoming item of a node back to the item of an earlier node that it came from. */
export function findPair(
  { graph, settled }: GraphContext,
  { node, place }: { node: GraphNode; place: number },
  target: string,
): Pair {
  const found = new Map<string, Item | undefined>();
  const visited = new Set<string>();
  let unclear: string | undefined;

  function follow({ source, way, position }: Place): void {
    const key = `${source} ${way} ${position}`;
    if (visited.has(key)) return;
    visited.add(key);
    const from = settled.get(source);
    const before = graph.get(source);
    if (source === target) found.set(key, from?.outputs[way]?.[position]);
    else if (from && before)
      goBack(
        before,
        originOf(from, { way, position }, () => countIncoming(before, settled)),
      );
  }

  function goBack(from: GraphNode, origin: Origin): void {
    if (origin === null) unclear ??= from.id;
    for (const one of [origin ?? []].flat()) {
      const earlier = locate(from, settled, one);
      if (earlier) follow(earlier);
    }
  }

  const first = locate(node, settled, place);
  if (first) follow(first);
  const [only] = found.values();
  if (found.size === 1 && only) return { item: only };
  return { fault: explain(target, found.size, unclear) };
}

function explain(target: string, count: number, unclear: string | undefined): string {
  if (count > 1) return `it came from several items of ${target}`;
  if (unclear !== undefined)
    return `nobody can tell from which item of ${target} it came: ${unclear} takes all items at once`;
  return `it came from no item of ${target}`;
}

function originOf(
  { origins, passesOn }: Settled,
  { way, position }: Pick<Place, "way" | "position">,
  incoming: () => number,
): Origin {
  if (passesOn) return position;
  // Not stored where there was only one item that anything could come from.
  if (!origins) return incoming() === 1 ? 0 : null;
  return origins[way]?.[position] ?? null;
}

const countIncoming = (node: GraphNode, settled: GraphContext["settled"]): number =>
  node.incoming.length === 0 ? 1 : segmentsOf(node, settled).reduce((sum, { items }) => sum + items.length, 0);

/** Where an incoming item left the node it comes from; undefined for what the run was started with. */
function locate(node: GraphNode, settled: GraphContext["settled"], place: number): Place | undefined {
  let left = place;
  for (const { source, way, items } of segmentsOf(node, settled)) {
    if (left < items.length) return { source, way, position: left };
    left -= items.length;
  }
  return undefined;
}

/** For each item that an execution of several gave, the one it is; others come from nobody knows which. */
export function originsByIdentity(outputs: Record<string, Item[]>, items: Item[]): Record<string, Origin[]> {
  const places = new Map(items.map((item, place) => [item, place]));
  const originsIn = (list: Item[]) =>
    list.map((item, index): Origin => (items[index] === item ? index : (places.get(item) ?? null)));
  return Object.fromEntries(Object.entries(outputs).map(([way, list]) => [way, originsIn(list)]));
}
