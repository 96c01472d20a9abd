import { describe, expect, it } from "vitest";
import { barsBetweenTicks } from "./time-words.ts";

describe("the ticks below bars", () => {
  it.each([
    ["a day in half hours", 48, 30, 4],
    ["a week in three hours", 56, 180, 24],
    ["thirty days in half days", 60, 720, 120],
  ])("of %s are the same whole time apart", (_, count, bucketMinutes, hours) => {
    expect((barsBetweenTicks(count, bucketMinutes) * bucketMinutes) / 60).toBe(hours);
  });
});
