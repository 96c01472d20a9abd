import { expect, it } from "vitest";
import { durationInWords, fromUnit, inUnit, unitOf } from "./durations.ts";

it("shows a duration in the largest unit that needs no decimals", () => {
  expect(unitOf(300_000)).toBe("minutes");
  expect(unitOf(90_000)).toBe("seconds");
  expect(unitOf(172_800_000)).toBe("days");
  expect(unitOf(1500)).toBe("seconds");
  expect(unitOf(undefined)).toBe("minutes");
});

it("is stored in milliseconds", () => {
  expect(fromUnit(5, "minutes")).toBe(300_000);
  expect(fromUnit(1.5, "hours")).toBe(5_400_000);
  expect(inUnit(1500, "seconds")).toBe(1.5);
});

it("is said in words", () => {
  expect([300_000, 3_600_000, 1500].map(durationInWords)).toEqual(["5 minutes", "1 hour", "1.5 seconds"]);
});
