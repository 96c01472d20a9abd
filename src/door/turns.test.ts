import { setImmediate as endOfTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createTurns, type Turns } from "./turns.ts";

let turns: Turns;
let nowMs: number;
let begun: string[];
beforeEach(() => {
  nowMs = 1_000;
  begun = [];
  turns = createTurns({ now: () => nowMs });
});

const send = (organization: string, count = 1): void => {
  // Those that are still waiting when a test ends belong to it.
  const own = begun;
  for (let index = 0; index < count; index++) turns.take(organization, () => void own.push(organization));
};
const countOf = (organization: string) => begun.filter((one) => one === organization).length;

describe("turns of the processor", () => {
  it("are not waited for by an organization that is alone", () => {
    send("a", 100);
    expect(begun).toHaveLength(100);
  });

  it("go to the other organization before the rest of a flood", () => {
    send("b");
    send("a", 50);
    send("b");
    expect(begun).toEqual(["b", "a", "b"]);
  });

  it("begin one request of each organization in a round, and all in the end", async () => {
    send("b");
    send("a", 5);
    send("b", 3);
    send("c", 2);
    expect(begun).toEqual(["b", "a", "b", "c"]);
    await endOfTurn();
    expect(begun.slice(4)).toEqual(["a", "b", "c"]);
    for (let round = 0; round < 10; round++) await endOfTurn();
    expect([countOf("a"), countOf("b"), countOf("c")]).toEqual([5, 4, 2]);
  });

  it("keep the order within an organization", async () => {
    const order: number[] = [];
    send("b");
    for (const index of [0, 1, 2, 3]) turns.take("a", () => void order.push(index));
    for (let round = 0; round < 6; round++) await endOfTurn();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("are free again when the other organization has gone", async () => {
    send("b");
    send("a", 20);
    nowMs += 101;
    await endOfTurn();
    expect(countOf("a")).toBe(20);
    send("a", 20);
    expect(countOf("a")).toBe(40);
  });
});
