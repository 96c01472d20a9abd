import type { Viewport } from "@xyflow/react";
import { sizeOf } from "../place-nodes.ts";
import type { Drawing } from "./flow-data.ts";

const margin = 40;
const [smallest, largest] = [0.65, 1];

/** Everything, while it can be read; a canvas that is too large for that is shown from where it begins. */
export function findFirstView(
  { canvas, kinds }: Pick<Drawing, "canvas" | "kinds">,
  frame: HTMLElement | null,
): Viewport {
  const boxes = canvas.nodes.map((node) => ({ ...(node.position ?? { x: 0, y: 0 }), ...sizeOf(node, kinds) }));
  if (boxes.length === 0 || !frame) return { x: 0, y: 0, zoom: 1 };
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - left;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) - top;
  const { clientWidth, clientHeight } = frame;
  const fitting = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height);
  const zoom = Math.min(largest, Math.max(smallest, fitting));
  return {
    zoom,
    x: Math.max(margin, (clientWidth - width * zoom) / 2) - left * zoom,
    y: Math.max(margin, (clientHeight - height * zoom) / 2) - top * zoom,
  };
}
