import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBatch } from "./batch.ts";

const databaseAway = new Error("the database is away");

/** A pretend table: one flush at a time takes a while, `bad` rows fail their statement. */
const createTable = ({ away = () => false }: { away?: () => boolean } = {}) => {
  const flushed: string[][] = [];
  let inFlight = 0;
  const flush = async (items: string[]): Promise<string[]> => {
    flushed.push(items);
    inFlight += 1;
    expect(inFlight).toBe(1);
    await sleep(2);
    inFlight -= 1;
    if (away()) throw databaseAway;
    if (items.some((item) => item.startsWith("bad"))) throw new Error("bad row");
    return items.map((item) => `stored ${item}`);
  };
  return { flush, flushed };
};

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `row ${index}`);

test("64 concurrent callers share two flushes and each gets its own result", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 1000 });
  const results = await Promise.all(names(64).map((name) => batch.add(name)));
  expect(results).toEqual(names(64).map((name) => `stored ${name}`));
  expect(table.flushed.map((items) => items.length)).toEqual([1, 63]);
});

test("callers who shared a flush share the next one too, and nobody goes ahead of them", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 1000 });
  for (let round = 0; round < 2; round++) {
    await Promise.all(names(8).map((name) => batch.add(name)));
    await batch.drain();
  }
  expect(table.flushed.map((items) => items.length)).toEqual([1, 7, 8]);
});

test("a lone caller is flushed before add returns", () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 10 });
  void batch.add("row");
  expect(table.flushed).toEqual([["row"]]);
  return batch.drain();
});

test("never puts more than maxItems into one flush and keeps the order", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 10 });
  await Promise.all(names(64).map((name) => batch.add(name)));
  expect(table.flushed.map((items) => items.length)).toEqual([1, 10, 10, 10, 10, 10, 10, 3]);
  expect(table.flushed.flat()).toEqual(names(64));
});

test("one bad row among 64 fails alone", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 1000 });
  const items = names(64).with(40, "bad row");
  const outcomes = await Promise.allSettled(items.map((item) => batch.add(item)));
  expect(outcomes.flatMap((outcome, index) => (outcome.status === "rejected" ? [index] : []))).toEqual([40]);
  expect(outcomes[41]).toEqual({ status: "fulfilled", value: "stored row 41" });
});

test("goes on after a failure", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 10 });
  await expect(batch.add("bad")).rejects.toThrow("bad row");
  await expect(batch.add("good")).resolves.toBe("stored good");
});

test("a fatal error fails everybody at once, those who wait included, without trying their rows", async () => {
  const table = createTable({ away: () => true });
  const batch = createBatch({ flush: table.flush, maxItems: 1000, isFatal: (error) => error === databaseAway });
  const outcomes = await Promise.allSettled(names(64).map((name) => batch.add(name)));
  expect(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === databaseAway)).toBe(true);
  expect(table.flushed).toHaveLength(1);
});

test("a database that goes away during the row by row retry ends the retry", async () => {
  const table = createTable({ away: () => table.flushed.length > 4 });
  const batch = createBatch({ flush: table.flush, maxItems: 1000, isFatal: (error) => error === databaseAway });
  const outcomes = await Promise.allSettled(["row 0", "bad", ...names(20)].map((name) => batch.add(name)));
  expect(table.flushed).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(2);
});

test("a flush that answers too few results fails its callers instead of leaving them waiting, and is not tried again", async () => {
  let flushes = 0;
  const batch = createBatch<string, string>({
    flush: async () => {
      flushes += 1;
      await sleep(1);
      return [];
    },
    maxItems: 10,
  });
  const outcomes = await Promise.allSettled([batch.add("a"), batch.add("b"), batch.add("c")]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(flushes).toBe(2);
});

test("a flush that throws before its promise fails its caller only", async () => {
  const batch = createBatch<string, string>({
    flush: (items) => {
      if (items.includes("bad")) throw new Error("thrown at once");
      return Promise.resolve(items);
    },
    maxItems: 10,
  });
  await expect(batch.add("bad")).rejects.toThrow("thrown at once");
  await expect(batch.add("good")).resolves.toBe("good");
});

test("drain waits for everything that was added, also while flushing, and is at once done when idle", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 5 });
  await batch.drain();
  let settled = 0;
  for (const name of names(20)) void batch.add(name).then(() => (settled += 1));
  await batch.drain();
  expect(settled).toBe(20);
});

test("a flush after one that was shared waits for those who come a little later, and one after a lone flush does not", async () => {
  const table = createTable();
  const batch = createBatch({ flush: table.flush, maxItems: 1000, gatherMs: 400 });
  const startedAt = performance.now();
  await batch.add("alone");
  await batch.add("alone again");
  expect(performance.now() - startedAt).toBeLessThan(350);
  await Promise.all(names(3).map((name) => batch.add(name)));
  const early = batch.add("early");
  await sleep(10);
  await Promise.all([early, batch.add("late")]);
  expect(table.flushed.at(-1)).toEqual(["early", "late"]);
});
