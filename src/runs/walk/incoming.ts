import type { Branch, Item } from "../../workflows/engine-node.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
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

export function collectIncoming(
  node: Pick<GraphNode, "incoming">,
  settled: ReadonlyMap<string, Settled>,
  root: Item,
): Incoming {
  const { incoming } = node;
  if (incoming.length === 0) return { items: [root], branches: [{ from: "the start", items: [root] }] };
  const branches = segmentsOf(node, settled).map(({ source, way, items }) => ({
    from: way === onlyWay ? source : `${source} (${way})`,
    items,
  }));
  const continues = incoming.some((edge) => continuesAlong(edge, settled.get(edge.source)));
  return { items: branches.flatMap(({ items }) => items), branches, continues };
}

/** Whether it is a node's turn to be executed or passed: all its sources are done, and it is neither done nor busy itself. */
export const isOpen = (
  { id, incoming }: GraphNode,
  settled: ReadonlyMap<string, Settled>,
  isBusy: (id: string) => boolean,
): boolean => !settled.has(id) && !isBusy(id) && incoming.every(({ source }) => settled.has(source));

/** Whether neither an item comes to a node nor an empty list to continue with. What has no source gets what the run was started with. */
export const getsNothing = (
  { incoming }: Pick<GraphNode, "incoming">,
  settled: ReadonlyMap<string, Settled>,
): boolean =>
  incoming.length > 0 &&
  incoming.every((edge) => {
    const source = settled.get(edge.source);
    return itemsAlong(edge, source).length === 0 && !continuesAlong(edge, source);
  });

type Segment = { source: string; way: string; items: Item[] };

/** What comes in along each edge, in the order in which the items are handed to the node. */
export const segmentsOf = (
  { incoming }: Pick<GraphNode, "incoming">,
  settled: ReadonlyMap<string, Settled>,
): Segment[] =>
  incoming.map((edge) => ({ source: edge.source, way: edge.way, items: itemsAlong(edge, settled.get(edge.source)) }));

type Edge = GraphNode["incoming"][number];

const itemsAlong = ({ way }: Edge, source: Settled | undefined): Item[] =>
  source && Object.hasOwn(source.outputs, way) ? (source.outputs[way] ?? []) : [];

/** What was not executed passes an empty list on as it came. */
function continuesAlong({ way, continuesEmpty }: Edge, source: Settled | undefined): boolean {
  if (source?.passesOn) return source.passesOn.empty && Object.hasOwn(source.outputs, way);
  return continuesEmpty;
}

/** What came out of a node on any way, in order. */
export const itemsOf = ({ outputs }: Settled): Item[] => Object.values(outputs).flat();

/** What nodes without a source get: that with which the run was started. */
export function toRootItem(payload: unknown): Item {
  if (payload === null || payload === undefined) return {};
  return typeof payload === "object" && !Array.isArray(payload) ? (payload as Item) : { value: payload };
}
