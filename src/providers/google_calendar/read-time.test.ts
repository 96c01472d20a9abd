import { expect, it } from "vitest";
import { readTime } from "./read-time.ts";

it.each([
  ["2026-01-31T09:00:00Z", undefined, "2026-01-31T09:00:00Z"],
  ["2026-01-31T09:00:00.5+01:00", undefined, "2026-01-31T09:00:00.5+01:00"],
  ["2026-01-31t09:00z", undefined, "2026-01-31T09:00:00Z"],
  ["2026-01-31 09:00:00Z", undefined, "2026-01-31T09:00:00Z"],
  ["2026-01-31T09:00:00Z", "Europe/Berlin", "2026-01-31T09:00:00Z"],
  ["2026-01-31T09:00:00", "Europe/Berlin", "2026-01-31T09:00:00+01:00"],
  ["2026-07-31T09:00", "Europe/Berlin", "2026-07-31T09:00:00+02:00"],
  ["2026-07-31T23:30:00", "America/Los_Angeles", "2026-07-31T23:30:00-07:00"],
  ["2026-03-29T01:30:00", "Europe/Berlin", "2026-03-29T01:30:00+01:00"],
  ["2026-03-29T03:30:00", "Europe/Berlin", "2026-03-29T03:30:00+02:00"],
  ["2026-01-31T09:00:00", "UTC", "2026-01-31T09:00:00+00:00"],
])("reads %s in %s", (text, timeZone, expected) => {
  expect(readTime("/start", text, timeZone)).toBe(expected);
});

it.each([
  "",
  "09:00",
  "2026-01-31",
  "2026-02-30T09:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T09:00:00+25:00",
  "2026-01-31T09:00:00Z\n",
])("refuses %j", (text) => {
  expect(() => readTime("/start", text)).toThrow(/^start must be a time/);
});
