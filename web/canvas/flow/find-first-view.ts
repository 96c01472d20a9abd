import type { Rect, Viewport } from "@xyflow/react";
import type { CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";
import { sizeOf } from "../place-nodes.ts";
import type { Drawing } from "./flow-data.ts";

type Canvas = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[]; notes?: readonly Rect[] | undefined };
type Kinds = Drawing["kinds"];
/** What is seen of the canvas. */
type Frame = Pick<HTMLElement, "clientWidth" | "clientHeight">;

const margin = 40;
const [smallest, readable, largest] = [0.65, 0.75, 1];

/** All of these nodes with what else is drawn (`others`), while they can be read; what is too large for that is shown from where it begins. */
export function findFirstView(
  nodes: readonly CanvasNode[],
  kinds: Kinds,
  frame: Frame | null,
  { least = smallest, others = [] }: { least?: number; others?: readonly Rect[] } = {},
): Viewport {
  const area = measure(nodes, kinds, others);
  if (!area || !frame) return { x: 0, y: 0, zoom: 1 };
  const zoom = Math.min(largest, Math.max(least, fittingZoom(area, frame)));
  const room = [frame.clientWidth - area.width * zoom, frame.clientHeight - area.height * zoom] as const;
  return {
    zoom,
    x: Math.max(margin, room[0] / 2) - area.left * zoom,
    y: Math.max(margin, room[1] / 2) - area.top * zoom,
  };
}

type Chosen = {
  /** A node. */
  nodeId?: string | undefined;
  /** Or something that stands before the first nodes. */
  other?: Rect | undefined;
  /** Or something without neighbours. */
  alone?: Rect | undefined;
};

/**
 * What to show when the canvas got another size: everything with what else is drawn (`others`), or, where that would be too small to read, what is
 * chosen with its neighbours, and where these lie too far apart what is chosen alone. What is drawn besides stands before the first nodes.
 */
export function findNextView(
  { nodes, edges, notes = [] }: Canvas,
  kinds: Kinds,
  frame: Frame,
  { chosen, others: besides = [] }: { chosen: Chosen; others?: readonly Rect[] },
): Viewport {
  const others = [...besides, ...notes];
  const all = measure(nodes, kinds, others);
  if (!all || fittingZoom(all, frame) >= readable) return findFirstView(nodes, kinds, frame, { others });
  const fits = (area: Area) => fittingZoom(area, frame) >= readable;
  const areas = areasAround({ nodes, edges }, kinds, chosen, besides);
  const area = areas.find(fits) ?? areas.at(-1);
  if (!area) return findFirstView(nodes, kinds, frame, { others });
  const zoom = Math.min(largest, Math.max(readable, fittingZoom(area, frame)));
  return {
    zoom,
    x: frame.clientWidth / 2 - (area.left + area.width / 2) * zoom,
    y: frame.clientHeight / 2 - (area.top + area.height / 2) * zoom,
  };
}

/** From the largest to what is chosen alone; none where nothing is. What starts a first node is nearer to it than what follows. */
function areasAround(
  { nodes, edges }: Canvas,
  kinds: Kinds,
  { nodeId, other, alone }: Chosen,
  others: readonly Rect[],
): Area[] {
  const isFirst = ({ id }: CanvasNode) => !edges.some(({ target }) => target === id);
  const node = nodes.find(({ id }) => id === nodeId);
  const choices: [nodes: CanvasNode[], others: readonly Rect[]][] = [];
  if (node) {
    const ends = edges.flatMap(({ source, target }) => ([source, target].includes(node.id) ? [source, target] : []));
    const around = nodes.filter(({ id }) => id === node.id || ends.includes(id));
    if (isFirst(node)) choices.push([around, others], [[node], others]);
    choices.push([around, []], [[node], []]);
  } else if (other) choices.push([nodes.filter(isFirst), others], [[], others], [[], [other]]);
  else if (alone) choices.push([[], [alone]]);
  return choices.flatMap(([some, drawn]) => measure(some, kinds, drawn) ?? []);
}

type Area = { left: number; top: number; width: number; height: number };

function measure(nodes: readonly CanvasNode[], kinds: Kinds, others: readonly Rect[] = []): Area | undefined {
  const drawn = nodes.map((node) => ({ ...(node.position ?? { x: 0, y: 0 }), ...sizeOf(node, kinds) }));
  const boxes = [...drawn, ...others];
  if (boxes.length === 0) return undefined;
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - left;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - top;
  return { left, top, width, height };
}

const fittingZoom = ({ width, height }: Area, { clientWidth, clientHeight }: Frame): number =>
  Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
