import { expect, it } from "vitest";
import { newId } from "./ids.ts";

it("ids are of version 7, all different, and in the order in which they were made", () => {
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  const madeAt = Number.parseInt((ids[0] as string).replace("-", "").slice(0, 12), 16);
  expect(Math.abs(Date.now() - madeAt)).toBeLessThan(5_000);
});

it("ids of one moment cannot be guessed from each other", () => {
  const endings = Array.from({ length: 1_000 }, () => newId().slice(-12));
  expect(new Set(endings).size).toBe(endings.length);
});
