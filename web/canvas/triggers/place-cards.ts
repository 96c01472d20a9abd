import type { Canvas } from "../../../src/workflows/wire.ts";

export const cardWidth = 224;
export const cardHeight = 58;
const gap = 20;
/** Between the cards and the first nodes. */
const distance = 76;

/** How much room the cards take on the left of everything. */
const cardsWidth = cardWidth + distance;

export type Point = { x: number; y: number };
export type Bounds = Point & { width: number; height: number };

/** The nodes that a run begins with: nothing leads to them. */
export function findFirstNodes({ nodes, edges }: Canvas): string[] {
  const led = new Set(edges.map(({ target }) => target));
  return nodes.flatMap(({ id }) => (led.has(id) ? [] : [id]));
}

/** One below the other, left of the first nodes and centred on them. */
export function placeCards(count: number, firstNodes: readonly Point[]): Point[] {
  const left = Math.min(...firstNodes.map(({ x }) => x), Number.POSITIVE_INFINITY);
  const x = (Number.isFinite(left) ? left : 0) - cardsWidth;
  const height = count * cardHeight + Math.max(0, count - 1) * gap;
  const middles = firstNodes.map(({ y }) => y + cardHeight / 2);
  const middle = middles.length === 0 ? 0 : (Math.min(...middles) + Math.max(...middles)) / 2;
  return Array.from({ length: count }, (_, index) => ({
    x,
    y: Math.round(middle - height / 2 + index * (cardHeight + gap)),
  }));
}

/** What all cards take together; undefined without any. */
export function boundsOf(places: readonly Point[]): Bounds | undefined {
  const [first] = places;
  if (!first) return undefined;
  return { ...first, width: cardWidth, height: (places.at(-1)?.y ?? first.y) - first.y + cardHeight };
}
