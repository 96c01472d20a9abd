import type { Canvas, CanvasEdge, CanvasNode, CanvasNote } from "../../../src/workflows/wire.ts";
import { firstFree } from "./new-ids.ts";
import type { Place } from "./places.ts";

/** The chosen nodes, the edges between them, and the chosen notes. */
export function clipNodes(canvas: Canvas, ids: readonly string[], noteIds: readonly string[] = []): Canvas {
  const { nodes, edges, notes } = canvas;
  const chosen = notes?.filter(({ id }) => noteIds.includes(id)) ?? [];
  return {
    nodes: nodes.filter(({ id }) => ids.includes(id)),
    edges: edges.filter(({ source, target }) => ids.includes(source) && ids.includes(target)),
    ...(chosen.length > 0 ? { notes: chosen } : {}),
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
  return { nodes, edges, ...copyNotes(canvas, clip, shift) };
}

function copyNotes({ notes = [] }: Canvas, clip: Canvas, shift: Place): Pick<Canvas, "notes"> {
  const taken = new Set(notes.map(({ id }) => id));
  const copies = clip.notes?.map(
    (note): CanvasNote => ({ ...note, id: take(note.id, taken), x: note.x + shift.x, y: note.y + shift.y }),
  );
  return copies ? { notes: copies } : {};
}

function take(id: string, taken: Set<string>): string {
  const free = firstFree(id, taken);
  taken.add(free);
  return free;
}

/** To the place asked for; else a little aside, until no copy lies exactly on what is there. */
function findShift(canvas: Canvas, clip: Canvas, at: Place | undefined): Place {
  const places = placesOf(clip);
  const corner = { x: Math.min(...places.map(({ x }) => x)), y: Math.min(...places.map(({ y }) => y)) };
  if (at) return { x: Math.round(at.x - corner.x), y: Math.round(at.y - corner.y) };
  const taken = new Set(placesOf(canvas).map(({ x, y }) => `${x},${y}`));
  const shift = { x: 0, y: 0 };
  while (places.some(({ x, y }) => taken.has(`${x + shift.x},${y + shift.y}`))) {
    shift.x += 40;
    shift.y += 40;
  }
  return shift;
}

const placesOf = ({ nodes, notes = [] }: Canvas): Place[] => [
  ...nodes.map(({ position }) => position ?? { x: 0, y: 0 }),
  ...notes,
];

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
