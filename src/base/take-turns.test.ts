import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurns } from "./take-turns.ts";

const work = (log: string[], name: string, ms: number) => async () => {
  log.push(`${name} begins`);
  await delay(ms);
  log.push(`${name} ends`);
  return name;
};

describe("turns", () => {
  it("are taken one after the other by those of one key, and at once by those of others", async () => {
    const inTurn = createTurns();
    const log: string[] = [];
    const all = [
      inTurn("a", work(log, "first", 20)),
      inTurn("a", work(log, "second", 5)),
      inTurn("b", work(log, "other", 5)),
    ];
    expect(await Promise.all(all)).toEqual(["first", "second", "other"]);
    expect(log).toEqual(["first begins", "other begins", "other ends", "first ends", "second begins", "second ends"]);
  });

  it("go on after one that failed, thrown or rejected", async () => {
    const inTurn = createTurns();
    const failures = [
      inTurn("a", () => Promise.reject(new Error("rejected"))),
      inTurn("a", () => {
        throw new Error("thrown");
      }),
    ];
    const next = inTurn("a", () => Promise.resolve("next"));
    expect((await Promise.allSettled(failures)).map((one) => one.status === "rejected" && String(one.reason))).toEqual([
      "Error: rejected",
      "Error: thrown",
    ]);
    expect(await next).toBe("next");
  });

  it("leave a pause as long as they took to others, which who is answered does not wait for", async () => {
    const inTurn = createTurns({ rest: 1 });
    const startedAt = performance.now();
    const first = inTurn("a", () => delay(60)).then(() => performance.now() - startedAt);
    const second = inTurn("a", () => Promise.resolve(performance.now() - startedAt));
    expect(await first).toBeLessThan(115);
    expect(await second).toBeGreaterThan(115);
  });
});
