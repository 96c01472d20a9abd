import type { CanvasNode } from "../../../src/workflows/wire.ts";

export type Direction = "left" | "right" | "up" | "down";

/** The nearest node in a direction; one that lies straight ahead is nearer than one that lies aside. */
export function findNeighbor(
  nodes: readonly CanvasNode[],
  fromId: string | undefined,
  direction: Direction,
): string | undefined {
  const from = nodes.find(({ id }) => id === fromId);
  if (!from) return nodes.toSorted((one, other) => placeOf(one).x - placeOf(other).x)[0]?.id;
  const start = placeOf(from);
  let best: { id: string; distance: number } | undefined;
  for (const node of nodes) {
    const { ahead, aside } = measure(start, placeOf(node), direction);
    if (node === from || ahead <= 0) continue;
    const distance = ahead + 2 * aside;
    if (!best || distance < best.distance) best = { id: node.id, distance };
  }
  return best?.id;
}

const placeOf = (node: CanvasNode) => node.position ?? { x: 0, y: 0 };

type Place = { x: number; y: number };

function measure(from: Place, to: Place, direction: Direction): { ahead: number; aside: number } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const isLevel = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  return isLevel ? { ahead: sign * dx, aside: Math.abs(dy) } : { ahead: sign * dy, aside: Math.abs(dx) };
}
