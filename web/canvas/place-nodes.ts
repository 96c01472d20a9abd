import type { Canvas, CanvasNode } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";
import type { Positions } from "./edit/places.ts";
import { waysOf } from "./ways-of.ts";

type Kinds = ReadonlyMap<string, NodeKind>;

/** Puts the nodes into columns from left to right, so that lines cross little. The library is only loaded for this. */
export async function placeNodes(canvas: Canvas, kinds: Kinds): Promise<Positions> {
  const { nodes, edges } = canvas;
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 60, ranksep: 80 });
  graph.setDefaultEdgeLabel(() => ({}));
  const sizes = new Map(nodes.map((node) => [node.id, sizeOf(node, kinds)]));
  for (const [id, size] of sizes) graph.setNode(id, { ...size });
  for (const { id, source, target } of edges)
    if (sizes.has(source) && sizes.has(target)) graph.setEdge(source, target, {}, id);
  layout(graph, { constraints: orderByWay(canvas, kinds) });
  return Object.fromEntries(
    [...sizes].map(([id, { width, height }]) => {
      const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
      return [id, { x: toGrid(x - width / 2), y: toGrid(y - height / 2) }];
    }),
  );
}

/** What the first way leads to stands above what the second leads to. Only for nodes with one way in: others would contradict each other. */
function orderByWay({ nodes, edges }: Canvas, kinds: Kinds): { left: string; right: string }[] {
  const byTarget = Map.groupBy(edges, ({ target }) => target);
  const bySource = Map.groupBy(edges, ({ source }) => source);
  return nodes.flatMap((node) => {
    const ways = waysOf(node, kinds.get(node.nodeId));
    const own = (bySource.get(node.id) ?? []).filter(({ target }) => byTarget.get(target)?.length === 1);
    const ordered = own.toSorted(
      (one, other) => ways.indexOf(one.sourceHandle ?? "") - ways.indexOf(other.sourceHandle ?? ""),
    );
    return ordered.slice(1).map((edge, index) => ({ left: ordered[index]?.target ?? "", right: edge.target }));
  });
}

/** A canvas made elsewhere may say nothing of places; a promise is kept for each, as React wants it. */
export function placeUnplaced(canvas: Canvas, kinds: Kinds): Canvas | Promise<Canvas> {
  if (canvas.nodes.every(({ position }) => position)) return canvas;
  const known = placed.get(canvas);
  if (known) return known;
  const promise = placeNodes(canvas, kinds).then((positions) => ({
    ...canvas,
    nodes: canvas.nodes.map((node) => {
      const position = node.position ?? positions[node.id];
      return position ? { ...node, position } : node;
    }),
  }));
  placed.set(canvas, promise);
  return promise;
}

const placed = new WeakMap<Canvas, Promise<Canvas>>();
const toGrid = (value: number) => Math.round(value / 10) * 10;

export const boxWidth = 224;
const headHeight = 58;
const wayHeight = 24;

export function sizeOf(node: CanvasNode, kinds: Kinds): { width: number; height: number } {
  const ways = waysOf(node, kinds.get(node.nodeId)).length;
  return { width: boxWidth, height: headHeight + (ways > 1 ? ways * wayHeight + 8 : 0) };
}
