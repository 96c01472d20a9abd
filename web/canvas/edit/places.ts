import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import { findFollowers } from "./new-ids.ts";

export type Place = { x: number; y: number };
/** By canvas id. */
export type Positions = Record<string, Place>;

export const stepRight = 300;
const stepDown = 100;
const [nearX, nearY] = [230, 80];

/** The wanted place, or the next one below that no node stands on. */
export function findFreePlace(nodes: readonly CanvasNode[], wanted: Place): Place {
  const place = { x: toGrid(wanted.x), y: toGrid(wanted.y) };
  const isTaken = () =>
    nodes.some(
      ({ position }) => position && Math.abs(position.x - place.x) < nearX && Math.abs(position.y - place.y) < nearY,
    );
  while (isTaken()) place.y += stepDown;
  return place;
}

/** Moves a node and all that follows it to the right, so that another one fits before it. */
export function makeRoom(canvas: Canvas, nodeId: string, place: Place): CanvasNode[] {
  const first = canvas.nodes.find(({ id }) => id === nodeId)?.position;
  const missing = first ? place.x + stepRight - first.x : 0;
  if (missing <= 0) return canvas.nodes;
  const followers = findFollowers(canvas, nodeId);
  return canvas.nodes.map((node) =>
    followers.has(node.id) && node.position
      ? { ...node, position: { ...node.position, x: node.position.x + missing } }
      : node,
  );
}

const toGrid = (value: number) => Math.round(value / 10) * 10;
