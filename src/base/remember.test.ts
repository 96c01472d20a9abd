import { expect, it } from "vitest";
import { rememberLatest } from "./remember.ts";

it("makes a value once, and again when too many others came after it", () => {
  const made: string[] = [];
  const find = rememberLatest(2, (key: string) => {
    made.push(key);
    return key === "nothing" ? undefined : key;
  });
  for (const key of ["a", "b", "a", "b", "c", "b", "a"]) expect(find(key)).toBe(key);
  expect(made).toEqual(["a", "b", "c", "a"]);
  expect([find("nothing"), find("nothing")]).toEqual([undefined, undefined]);
  expect(made.slice(4)).toEqual(["nothing", "nothing"]);
});
