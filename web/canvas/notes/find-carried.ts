import type { Rect } from "@xyflow/react";
import type { Positions } from "../edit/places.ts";
import type { Box } from "../flow/flow-data.ts";

/** Where everything stands that lies fully on one of these notes, and is not moved by itself. */
export function findCarried(boxes: readonly Box[], moved: readonly string[]): Positions {
  const sheets = boxes.filter(({ id, type }) => type === "note" && moved.includes(id)).map(rectOf);
  const lying = boxes.filter((box) => !moved.includes(box.id) && sheets.some((sheet) => liesOn(rectOf(box), sheet)));
  return Object.fromEntries(lying.map(({ id, position }) => [id, position]));
}

export const shiftAll = (positions: Positions, dx: number, dy: number): Positions =>
  Object.fromEntries(Object.entries(positions).map(([id, { x, y }]) => [id, { x: x + dx, y: y + dy }]));

const rectOf = ({ position, measured, width, height }: Box): Rect => ({
  ...position,
  width: width ?? measured?.width ?? 0,
  height: height ?? measured?.height ?? 0,
});

const liesOn = (inner: Rect, sheet: Rect): boolean =>
  inner.x >= sheet.x &&
  inner.y >= sheet.y &&
  inner.x + inner.width <= sheet.x + sheet.width &&
  inner.y + inner.height <= sheet.y + sheet.height;
