import type { Branch, Item } from "../../workflows/engine-node.ts";
import { type Graph, type GraphNode, onlyWay } from "./graph.ts";
import type { Origins } from "./node/item-progress.ts";

/** What came out of a node that is done, by way. One that was not executed passes on what came to it, if anything did. */
export type Settled = {
  status: "succeeded" | "failed" | "skipped";
  outputs: Record<string, Item[]>;
  passesOn?: { empty: boolean };
  /** From which incoming items they came. */
  origins?: Origins | undefined;
};

/** `continues`: a node that gets no items all the same is executed, because what comes before it says so. */
export type Incoming = { items: Item[]; branches: Branch[]; continues?: boolean };

export type Ready = { node: GraphNode; incoming: Incoming };

/**
 * Which nodes can begin: those whose sources are all done and that get at least one item or an empty list to continue with, or have no source. Nodes that get nothing are
 * skipped, and disabled ones let their items pass; both are settled here, in `settled`, because they may open the way for others.
 */
export function findReady(graph: Graph, settled: Map<string, Settled>, isBusy: (id: string) => boolean, root: Item): Ready[] {
  const isOpen = ({ id, incoming }: GraphNode) => !settled.has(id) && !isBusy(id) && incoming.every(({ source }) => settled.has(source));
  for (;;) {
    const open = [...graph.values()].filter(isOpen).map((node) => ({ node, incoming: collectIncoming(node, settled, root) }));
    const passed = open.filter(({ node, incoming }) => isPassed(node, incoming));
    if (passed.length === 0) return open;
    for (const { node, incoming } of passed) settled.set(node.id, passOn(node, incoming));
  }
}

/** Whether a node is not executed, because it is disabled or nothing came to it. */
export const isPassed = ({ settings }: GraphNode, { items, continues }: Incoming): boolean =>
  settings.disabled || (items.length === 0 && !continues);

export const passOn = ({ firstWay }: GraphNode, { items, continues = false }: Incoming): Settled => ({
  status: "skipped",
  outputs: { [firstWay]: items },
  passesOn: { empty: continues },
});

export function collectIncoming(node: Pick<GraphNode, "incoming">, settled: ReadonlyMap<string, Settled>, root: Item): Incoming {
  const { incoming } = node;
  if (incoming.length === 0) return { items: [root], branches: [{ from: "the start", items: [root] }] };
  const branches = segmentsOf(node, settled).map(({ source, way, items }) => ({
    from: way === onlyWay ? source : `${source} (${way})`,
    items,
  }));
  const continues = incoming.some((edge) => continuesAlong(edge, settled.get(edge.source)));
  return { items: branches.flatMap(({ items }) => items), branches, continues };
}

type Segment = { source: string; way: string; items: Item[] };

/** What comes in along each edge, in the order in which the items are handed to the node. */
export const segmentsOf = ({ incoming }: Pick<GraphNode, "incoming">, settled: ReadonlyMap<string, Settled>): Segment[] =>
  incoming.map(({ source, way }) => {
    const outputs = settled.get(source)?.outputs ?? {};
    return { source, way, items: Object.hasOwn(outputs, way) ? (outputs[way] ?? []) : [] };
  });

/** What was not executed passes an empty list on as it came. */
function continuesAlong({ way, continuesEmpty }: GraphNode["incoming"][number], source: Settled | undefined): boolean {
  if (source?.passesOn) return source.passesOn.empty && Object.hasOwn(source.outputs, way);
  return continuesEmpty;
}

/** What nodes without a source get: that with which the run was started. */
export function toRootItem(payload: unknown): Item {
  if (payload === null || payload === undefined) return {};
  return typeof payload === "object" && !Array.isArray(payload) ? (payload as Item) : { value: payload };
}

/** What came out of a node on any way, in order. */
export const itemsOf = ({ outputs }: Settled): Item[] => Object.values(outputs).flat();

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
