import type { Rect, Viewport } from "@xyflow/react";
import type { CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";
import { sizeOf } from "../place-nodes.ts";
import type { Drawing } from "./flow-data.ts";

type Canvas = { nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[]; notes?: readonly Rect[] | undefined };
type Kinds = Drawing["kinds"];

const margin = 40;
const [smallest, readable, largest] = [0.65, 0.75, 1];

/** All of these nodes with what else is drawn (`others`), while they can be read; what is too large for that is shown from where it begins. */
export function findFirstView(
  nodes: readonly CanvasNode[],
  kinds: Kinds,
  frame: HTMLElement | null,
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

/** What to show when the canvas got another size: everything, or, where that would be too small to read, what is chosen and its neighbours. */
export function findNextView(canvas: Canvas, kinds: Kinds, frame: HTMLElement, chosenId?: string): Viewport {
  const { nodes, edges, notes = [] } = canvas;
  const all = measure(nodes, kinds, notes);
  const chosen = nodes.find(({ id }) => id === chosenId);
  if (!all || !chosen || fittingZoom(all, frame) >= readable)
    return findFirstView(nodes, kinds, frame, { others: notes });
  const near = new Set(
    edges.flatMap(({ source, target }) => ([source, target].includes(chosen.id) ? [source, target] : [])),
  );
  const around = measure([chosen, ...nodes.filter(({ id }) => near.has(id))], kinds);
  const fitsAround = around !== undefined && fittingZoom(around, frame) >= readable;
  // Many neighbours may lie far apart; then only the chosen one is in the middle.
  const area = (fitsAround ? around : measure([chosen], kinds)) ?? all;
  const zoom = Math.min(largest, Math.max(readable, fitsAround ? fittingZoom(area, frame) : readable));
  return {
    zoom,
    x: frame.clientWidth / 2 - (area.left + area.width / 2) * zoom,
    y: frame.clientHeight / 2 - (area.top + area.height / 2) * zoom,
  };
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

const fittingZoom = ({ width, height }: Area, { clientWidth, clientHeight }: HTMLElement): number =>
  Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
