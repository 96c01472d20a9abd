import type { Item } from "../workflows/engine-node.ts";
import { type Graph, type GraphNode, onlyWay } from "./graph.ts";
import type { Origins } from "./item-progress.ts";

/** What came out of a node that is done, by way. A node that was skipped has none. */
export type Settled = {
  status: "succeeded" | "failed" | "skipped";
  outputs: Record<string, Item[]>;
  passesAll?: boolean;
  /** From which incoming items they came. */
  origins?: Origins | undefined;
};

export type Incoming = { items: Item[]; bySource: Map<string, Item[]> };

export type Ready = { node: GraphNode; incoming: Incoming };

/**
 * Which nodes can begin: those whose sources are all done and that get at least one item, or have no source. Nodes that get nothing are
 * skipped, and disabled ones let their items pass; both are settled here, in `settled`, because they may open the way for others.
 */
export function findReady(graph: Graph, settled: Map<string, Settled>, isBusy: (id: string) => boolean, root: Item): Ready[] {
  const isOpen = ({ id, incoming }: GraphNode) => !settled.has(id) && !isBusy(id) && incoming.every(({ source }) => settled.has(source));
  for (;;) {
    const open = [...graph.values()].filter(isOpen).map((node) => ({ node, incoming: collectIncoming(node, settled, root) }));
    const passed = open.filter(({ node, incoming }) => incoming.items.length === 0 || node.settings.disabled);
    if (passed.length === 0) return open;
    for (const { node, incoming } of passed)
      settled.set(node.id, { status: "skipped", outputs: { [onlyWay]: incoming.items }, passesAll: true });
  }
}

export function collectIncoming({ incoming }: Pick<GraphNode, "incoming">, settled: ReadonlyMap<string, Settled>, root: Item): Incoming {
  if (incoming.length === 0) return { items: [root], bySource: new Map() };
  const bySource = new Map<string, Item[]>();
  for (const { source, items } of segmentsOf({ incoming }, settled)) bySource.set(source, [...(bySource.get(source) ?? []), ...items]);
  return { items: [...bySource.values()].flat(), bySource };
}

type Segment = { source: string; way: string; items: Item[] };

/** What comes in along each edge: by source, in the order in which the items are handed to the node. */
export function segmentsOf({ incoming }: Pick<GraphNode, "incoming">, settled: ReadonlyMap<string, Settled>): Segment[] {
  const segments = incoming.map(({ source, way }) => {
    const from = settled.get(source);
    const leaving = from?.passesAll ? onlyWay : way;
    return { source, way: leaving, items: from && Object.hasOwn(from.outputs, leaving) ? (from.outputs[leaving] ?? []) : [] };
  });
  const sources = [...new Set(incoming.map(({ source }) => source))];
  return sources.length === incoming.length ? segments : sources.flatMap((source) => segments.filter((one) => one.source === source));
}

/** What nodes without a source get: that with which the run was started. */
export function toRootItem(payload: unknown): Item {
  if (payload === null || payload === undefined) return {};
  return typeof payload === "object" && !Array.isArray(payload) ? (payload as Item) : { value: payload };
}

/** What came out of a node on any way, in order. */
export const itemsOf = ({ outputs }: Settled): Item[] => Object.values(outputs).flat();

/** What came out of a whole run: the items of all nodes that nothing follows. */
export const resultOf = (graph: Graph, settled: ReadonlyMap<string, Settled>): Item[] =>
  [...graph.values()]
    .filter(({ next }) => next.length === 0)
    .flatMap(({ id }) => itemsOf(settled.get(id) ?? { status: "skipped", outputs: {} }));
