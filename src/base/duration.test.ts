import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

test.each([
  ["250ms", 250],
  ["90s", 90_000],
  ["5m", 300_000],
  ["1h", 3_600_000],
  ["2d", 172_800_000],
  ["0s", 0],
  ["2147483647ms", 2_147_483_647],
])("reads %s as %i ms", (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each([
  "",
  "5",
  "5 m",
  " 5m",
  "5m\n",
  "-1s",
  "+1s",
  "1.5h",
  "1e3s",
  "0x10s",
  "05m",
  "m",
  "5M",
  "5min",
  "1h30m",
  "٥m",
])("refuses %j", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each(["2147483648ms", "25d", "99999999999999999999999s", `${"9".repeat(400)}d`])(
  "refuses %s, longer than a timer can hold",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
