import { describe, expect, it } from "vitest";
import { formatDuration, formatShare, roundUp } from "./format.ts";

describe("numbers in words", () => {
  it("give durations in the unit people think in", () => {
    expect([0, 12.4, 999, 1_000, 1_449, 59_000, 60_000, 3_600_000].map(formatDuration)).toEqual([
      "0 ms",
      "12 ms",
      "999 ms",
      "1 s",
      "1.4 s",
      "59 s",
      "1 min",
      "1 h",
    ]);
  });

  it("never call a share nothing or everything that is not", () => {
    expect([
      formatShare(0, 9),
      formatShare(1, 1000),
      formatShare(999, 1000),
      formatShare(9, 9),
      formatShare(0, 0),
      formatShare(1, 3),
    ]).toEqual(["0 %", "< 1 %", "> 99 %", "100 %", "0 %", "33 %"]);
  });

  it("round the top of an axis up to a round number", () => {
    expect([0, 3, 4, 5, 10, 12, 46, 51, 100, 101].map(roundUp)).toEqual([4, 4, 4, 6, 10, 20, 50, 60, 100, 200]);
  });
});
