import { expect, it } from "vitest";
import { formatDuration } from "./duration.tsx";

it.each([
  [0, "0 ms"],
  [0.4, "0 ms"],
  [532, "532 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [1_290, "1.2 s"],
  [9_999, "9.9 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [125_900, "2 min 5 s"],
  [3_600_000, "1 h"],
  [11_520_000, "3 h 12 min"],
  [93_600_000, "1 d 2 h"],
])("writes %d ms as %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

it("counts whole seconds while something goes on", () => {
  expect([0, 999, 61_500].map((ms) => formatDuration(ms, "whole seconds"))).toEqual(["0 s", "0 s", "1 min 1 s"]);
});
