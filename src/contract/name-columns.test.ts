import { expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
import { nameColumns } from "./name-columns.ts";

it.each([
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [
    ["a", "a", "a"],
    ["a", "a_2", "a_3"],
  ],
  [
    ["a", "a_2", "a"],
    ["a", "a_2", "a_3"],
  ],
  [
    ["a", "a", "a_2"],
    ["a", "a_3", "a_2"],
  ],
  [
    ["", "", "__proto__", "__proto__"],
    ["", "_2", "__proto__", "__proto___2"],
  ],
])("names the columns %j %j", (names, unique) => {
  expect(nameColumns(names)).toEqual(unique);
});

it("names very many columns of one name at once", () => {
  const names = Array.from({ length: 20_000 }, () => "a");
  expect(new Set(nameColumns(names)).size).toBe(20_000);
  expect(shortestTime(() => nameColumns(names))).toBeLessThan(500);
});
