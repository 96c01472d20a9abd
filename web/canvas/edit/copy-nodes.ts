import type { Canvas, CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";
import { firstFree } from "./new-ids.ts";
import type { Place } from "./places.ts";

/** The chosen nodes and the edges between them. */
export function clipNodes({ nodes, edges }: Canvas, ids: readonly string[]): Canvas {
  return {
    nodes: nodes.filter(({ id }) => ids.includes(id)),
    edges: edges.filter(({ source, target }) => ids.includes(source) && ids.includes(target)),
  };
}

/** Copies with ids that are free on the canvas. What they say of each other speaks of the copies. */
export function copyNodes(canvas: Canvas, clip: Canvas, at?: Place): Canvas {
  const takenNodes = new Set(canvas.nodes.map(({ id }) => id));
  const takenEdges = new Set(canvas.edges.map(({ id }) => id));
  const newIds = new Map(clip.nodes.map(({ id }) => [id, take(id, takenNodes)]));
  const shift = findShift(canvas, clip, at);
  const nodes = clip.nodes.map((node): CanvasNode => {
    const { x, y } = node.position ?? { x: 0, y: 0 };
    const copy = renameReferences(node, newIds) as CanvasNode;
    return { ...copy, id: newIds.get(node.id) ?? node.id, position: { x: x + shift.x, y: y + shift.y } };
  });
  const edges = clip.edges.flatMap((edge): CanvasEdge[] => {
    const [source, target] = [newIds.get(edge.source), newIds.get(edge.target)];
    return source && target ? [{ ...edge, id: take(edge.id, takenEdges), source, target }] : [];
  });
  return { nodes, edges };
}

function take(id: string, taken: Set<string>): string {
  const free = firstFree(id, taken);
  taken.add(free);
  return free;
}

/** To the place asked for; else a little aside, until no copy lies exactly on a node. */
function findShift({ nodes }: Canvas, clip: Canvas, at: Place | undefined): Place {
  const places = clip.nodes.map(({ position }) => position ?? { x: 0, y: 0 });
  const corner = { x: Math.min(...places.map(({ x }) => x)), y: Math.min(...places.map(({ y }) => y)) };
  if (at) return { x: Math.round(at.x - corner.x), y: Math.round(at.y - corner.y) };
  const taken = new Set(nodes.map(({ position }) => `${position?.x},${position?.y}`));
  const shift = { x: 0, y: 0 };
  while (places.some(({ x, y }) => taken.has(`${x + shift.x},${y + shift.y}`))) {
    shift.x += 40;
    shift.y += 40;
  }
  return shift;
}

/** `$nodes.fetch`, `$nodes.\`fetch\`` and `$nodes["fetch"]`, wherever they stand in a text. */
const reference = /(\$nodes\s*(?:\.\s*`?|\[\s*["']))([A-Za-z0-9_-]+)/g;

function renameReferences(value: unknown, newIds: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string")
    return value.replaceAll(reference, (all, before: string, id: string) =>
      newIds.has(id) ? `${before}${newIds.get(id)}` : all,
    );
  if (Array.isArray(value)) return value.map((entry) => renameReferences(entry, newIds));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, renameReferences(entry, newIds)]));
}
