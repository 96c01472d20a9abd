import { describe, expect, it } from "vitest";
import { findNextView } from "./find-first-view.ts";

const frame = { clientWidth: 1200, clientHeight: 400 };
const kinds = new Map();
const row = (count: number) => ({
  nodes: Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    nodeId: "x",
    position: { x: index * 300, y: 0 },
  })),
  edges: Array.from({ length: count - 1 }, (_, index) => ({
    id: `e${index}`,
    source: `n${index}`,
    target: `n${index + 1}`,
  })),
});
const cards = { x: -300, y: -40, width: 224, height: 140 };

/** From where to where of the canvas is seen. */
function seen({ x, zoom }: { x: number; zoom: number }): [number, number] {
  return [-x / zoom, (frame.clientWidth - x) / zoom];
}

describe("the view after the canvas got another size", () => {
  it("shows everything that can be read, with what is drawn besides the nodes", () => {
    const [left, right] = seen(findNextView(row(3), kinds, frame, { chosen: { nodeId: "n2" }, others: [cards] }));
    expect(left).toBeLessThan(cards.x);
    expect(right).toBeGreaterThan(2 * 300 + 224);
  });

  it("shows what is chosen with its neighbours where everything would be too small, never below three quarters", () => {
    const view = findNextView(row(12), kinds, frame, { chosen: { nodeId: "n6" }, others: [cards] });
    const [left, right] = seen(view);
    expect(view.zoom).toBeGreaterThanOrEqual(0.75);
    expect(left).toBeLessThan(5 * 300);
    expect(right).toBeGreaterThan(7 * 300 + 224);
    expect(left + right).toBeCloseTo(2 * (6 * 300 + 112));
  });

  it("counts the cards among the neighbours of a first node", () => {
    const [left, right] = seen(findNextView(row(12), kinds, frame, { chosen: { nodeId: "n0" }, others: [cards] }));
    expect(left).toBeLessThan(cards.x);
    expect(right).toBeGreaterThan(300 + 224);
  });

  it("keeps the cards beside a first node also where its neighbours have no room", () => {
    const small = { clientWidth: 520, clientHeight: 400 };
    const { x, zoom } = findNextView(row(12), kinds, small, { chosen: { nodeId: "n0" }, others: [cards] });
    expect(-x / zoom).toBeLessThan(cards.x);
    expect((small.clientWidth - x) / zoom).toBeGreaterThan(224);
  });

  it("shows a card that is chosen with the first nodes", () => {
    const [left, right] = seen(findNextView(row(12), kinds, frame, { chosen: { other: cards }, others: [cards] }));
    expect(left).toBeLessThan(cards.x);
    expect(right).toBeGreaterThan(224);
  });

  it("shows what is chosen alone where its neighbours lie too far apart", () => {
    const { nodes, edges } = row(3);
    const far = nodes.map((node, index) => ({ ...node, position: { x: index * 3000, y: 0 } }));
    const [left, right] = seen(findNextView({ nodes: far, edges }, kinds, frame, { chosen: { nodeId: "n1" } }));
    expect(left + right).toBeCloseTo(2 * (3000 + 112));
  });

  it("shows a note that is chosen, wherever it lies", () => {
    const note = { x: 6 * 300, y: 200, width: 240, height: 120 };
    const canvas = { ...row(12), notes: [note] };
    const [left, right] = seen(findNextView(canvas, kinds, frame, { chosen: { alone: note }, others: [cards] }));
    expect(left + right).toBeCloseTo(2 * (note.x + 120));
  });

  it("begins where the canvas begins when nothing is chosen", () => {
    const [left] = seen(findNextView(row(12), kinds, frame, { chosen: {}, others: [cards] }));
    expect(left).toBeLessThan(cards.x);
    expect(left).toBeGreaterThan(cards.x - 100);
  });
});
