import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { eachInParallel } from "./each-in-parallel.ts";

it("does so much at a time, and gives what became of each", async () => {
  let [running, most] = [0, 0];
  const results = await eachInParallel(
    [1, 2, 3, 4, 5, 6, 7],
    async (item) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(item % 3);
      running -= 1;
      if (item === 4) throw new Error("four");
      return item * 2;
    },
    { most: 3 },
  );
  expect(most).toBe(3);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
    ...[2, 4, 6, "Error: four", 10, 12, 14],
  ]);
});

it("begins nothing more once it is to stop", async () => {
  const begun: number[] = [];
  await eachInParallel(
    [1, 2, 3, 4, 5, 6],
    async (item) => {
      begun.push(item);
      await sleep(1);
    },
    { most: 2, isStopping: () => begun.length >= 4 },
  );
  expect(begun).toEqual([1, 2, 3, 4]);
});

it("does nothing for no items", async () => {
  expect(await eachInParallel([], async () => 1, { most: 3 })).toEqual([]);
});
