import { describe, expect, it } from "vitest";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { boundsOf, cardHeight, cardWidth, findFirstNodes, placeCards } from "./place-cards.ts";

const canvas = (ids: string[], edges: [string, string][]): Canvas => ({
  nodes: ids.map((id) => ({ id, nodeId: "merge" })),
  edges: edges.map(([source, target], index) => ({ id: `e${index}`, source, target })),
});

describe("the cards of triggers", () => {
  it("lead to the nodes that nothing else leads to", () => {
    const found = findFirstNodes(canvas(["a", "b", "c"], [["a", "b"]]));
    expect(found).toEqual(["a", "c"]);
  });

  it("stand left of the first nodes, centred on them, without touching each other", () => {
    const [one, other] = placeCards(2, [{ x: 100, y: 40 }]);
    expect(one?.x).toBe(other?.x);
    expect((one?.x ?? 0) + cardWidth).toBeLessThan(100);
    expect(((one?.y ?? 0) + (other?.y ?? 0)) / 2).toBe(40);
    expect((other?.y ?? 0) - (one?.y ?? 0)).toBeGreaterThan(cardHeight);
  });

  it("say what room they take, so that it is seen with the rest", () => {
    const places = placeCards(3, [{ x: 0, y: 0 }]);
    const bounds = boundsOf(places);
    expect(bounds).toMatchObject({ x: places[0]?.x, y: places[0]?.y, width: cardWidth });
    expect((bounds?.y ?? 0) + (bounds?.height ?? 0)).toBe((places[2]?.y ?? 0) + cardHeight);
    expect(boundsOf([])).toBe(undefined);
  });

  it("have a place on an empty canvas too", () => {
    const [place] = placeCards(1, []);
    expect(place?.y).toBe(-cardHeight / 2);
    expect((place?.x ?? 0) + cardWidth).toBeLessThan(0);
  });
});
