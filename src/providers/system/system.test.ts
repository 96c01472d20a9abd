import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { action as dateTime } from "./date_time.ts";
import { action as transformJson } from "./transform_json.ts";
import { action as wait } from "./wait.ts";

const now = new Date("2026-07-31T22:30:15.250Z");
const read = async (input: Record<string, unknown> = {}) => (await callTool(dateTime, { input, now }))[0];
const iso = async (input: Record<string, unknown>) => (await read(input))?.iso;

describe("system_date_time", () => {
  it("says what time it is", async () => {
    expect(await read()).toEqual({
      iso: "2026-07-31T22:30:15.250Z",
      unix: 1_785_537_015,
      timeZone: "UTC",
      weekday: "Friday",
    });
    expect(await read({ timeZone: "Asia/Kolkata" })).toMatchObject({
      iso: "2026-08-01T04:00:15.250+05:30",
      weekday: "Saturday",
      timeZone: "Asia/Kolkata",
    });
    expect(await iso({ timeZone: "America/St_Johns" })).toBe("2026-07-31T20:00:15.250-02:30");
  });

  it.each([
    ["2026-03-01T12:00:00Z", "UTC", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01t12:00:00.123456z", "UTC", "2026-03-01T12:00:00.123Z"],
    ["2026-03-01T12:00:00-08:00", "Europe/Berlin", "2026-03-01T21:00:00.000+01:00"],
    ["2026-03-01 12:00", "Europe/Berlin", "2026-03-01T12:00:00.000+01:00"],
    ["2026-07-01", "Europe/Berlin", "2026-07-01T00:00:00.000+02:00"],
    ["2026-06-30T23:59:60Z", "UTC", "2026-07-01T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "UTC", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "UTC", "9999-12-31T23:59:59.000Z"],
    ["1883-11-18T12:00:00Z", "America/New_York", "1883-11-18T07:04:00.000-04:56"],
    ["2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T03:30:00.000+02:00"],
    ["2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T02:30:00.000+02:00"],
    ["2011-12-30T12:00:00", "Pacific/Apia", "2011-12-31T12:00:00.000+14:00"],
    ["2026-04-05T01:45:00", "Australia/Lord_Howe", "2026-04-05T01:45:00.000+11:00"],
  ])("reads %s in %s", async (date, timeZone, expected) => {
    expect(await iso({ date, timeZone })).toBe(expected);
  });

  it.each([
    [
      "the last day of a shorter month",
      { date: "2026-01-31T09:00:00", timeZone: "Europe/Berlin", add: { months: 1 } },
      "2026-02-28T09:00:00.000+01:00",
    ],
    ["a leap day", { date: "2024-02-29T09:00:00Z", timeZone: "UTC", add: { years: 1 } }, "2025-02-28T09:00:00.000Z"],
    [
      "months back over a year",
      { date: "2026-01-15T00:00:00Z", timeZone: "UTC", add: { months: -13 } },
      "2024-12-15T00:00:00.000Z",
    ],
    [
      "the same time of day after summer time began",
      { date: "2026-03-28T12:00:00", timeZone: "Europe/Berlin", add: { days: 1 } },
      "2026-03-29T12:00:00.000+02:00",
    ],
    [
      "real hours when summer time begins",
      { date: "2026-03-28T12:00:00", timeZone: "Europe/Berlin", add: { hours: 24 } },
      "2026-03-29T13:00:00.000+02:00",
    ],
    [
      "a day into the hour that is skipped",
      { date: "2026-03-28T02:30:00", timeZone: "Europe/Berlin", add: { days: 1 } },
      "2026-03-29T03:30:00.000+02:00",
    ],
    [
      "a day into the hour that comes twice",
      { date: "2026-10-24T02:30:00", timeZone: "Europe/Berlin", add: { days: 1 } },
      "2026-10-25T02:30:00.000+02:00",
    ],
    [
      "an hour in the hour that comes twice",
      { date: "2026-10-25T02:30:00", timeZone: "Europe/Berlin", add: { hours: 1 } },
      "2026-10-25T02:30:00.000+01:00",
    ],
    [
      "nothing in the hour that comes twice",
      { date: "2026-10-25T01:30:00Z", timeZone: "Europe/Berlin", add: { days: 0 } },
      "2026-10-25T02:30:00.000+01:00",
    ],
    [
      "everything at once",
      {
        date: "2026-01-31T23:59:59Z",
        timeZone: "UTC",
        add: { years: 1, months: 1, days: 1, hours: 1, minutes: 1, seconds: 1 },
      },
      "2027-03-02T01:01:00.000Z",
    ],
    [
      "days first and real hours after them",
      { date: "2026-03-28T12:00:00", timeZone: "Europe/Berlin", add: { days: 1, hours: -10 } },
      "2026-03-29T01:00:00.000+01:00",
    ],
    ["days back", { date: "2026-03-01T00:00:00Z", timeZone: "UTC", add: { days: -1 } }, "2026-02-28T00:00:00.000Z"],
  ])("shifts by %s", async (_name, input, expected) => {
    expect(await iso(input)).toBe(expected);
  });

  it.each([
    ["yyyy-MM-dd HH:mm:ss.SSS XXX", "2026-08-01 00:30:15.250 +02:00"],
    ["EEEE, d MMMM yyyy 'at' h:mm a", "Saturday, 1 August 2026 at 12:30 AM"],
    ["EEE d MMM yy, H 'o''clock' VV", "Sat 1 Aug 26, 0 o'clock Europe/Berlin"],
    ["d.M. hh''m''s", "1.8. 12'30'15"],
    ["日付: yyyy年", "日付: 2026年"],
  ])("writes the pattern %s", async (format, formatted) => {
    expect(await read({ format, timeZone: "Europe/Berlin" })).toMatchObject({ formatted });
  });

  it.each([
    [{ date: "tomorrow" }, "/date"],
    [{ date: "2026-02-30" }, "/date"],
    [{ date: "2026-13-01" }, "/date"],
    [{ date: "2026-01-01T24:00:00Z" }, "/date"],
    [{ date: "0000-01-01" }, "/date"],
    [{ date: "9999-12-31T23:59:59-01:00" }, "/date"],
    [{ timeZone: "Mars/Olympus" }, "/timeZone"],
    [{ add: { weeks: 1 } }, "/add/weeks"],
    [{ add: { days: 1.5 } }, "/add/days"],
    [{ add: { days: "1" } }, "/add/days"],
    [{ add: { years: 9000 } }, "/add"],
    [{ add: { seconds: Number.MAX_SAFE_INTEGER } }, "/add"],
    [{ format: "YYYY" }, "/format"],
    [{ format: "yyyyy" }, "/format"],
    [{ format: "constructor" }, "/format"],
    [{ format: "'open" }, "/format"],
  ])("refuses %j", async (input, pointer) => {
    await expect(read(input)).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
  });
});

describe("system_transform_json", () => {
  const transform = (data: unknown, expression: string) => callTool(transformJson, { input: { data, expression } });

  it("applies an expression to data of any kind", async () => {
    expect(await transform({ orders: [{ price: 2 }, { price: 3 }] }, "$sum(orders.price)")).toEqual([{ result: 5 }]);
    expect(await transform([1, 2, 3], "$[$ > 1]")).toEqual([{ result: [2, 3] }]);
    expect(await transform("text", "$uppercase($)")).toEqual([{ result: "TEXT" }]);
    expect(await transform(null, "nothing")).toEqual([{}]);
  });

  it("refuses an expression that is wrong or does not end", async () => {
    await expect(transform({}, "a[")).rejects.toMatchObject({ code: "validation_failed" });
    await expect(transform({}, "($f := function($x) { $f($x) }; $f(1))")).rejects.toThrow("takes longer than 1000 ms");
  });

  it("stops when it is aborted", async () => {
    const input = { data: {}, expression: "($f := function($x) { $f($x) }; $f(1))" };
    await expect(callTool(transformJson, { input, signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });
});

describe("system_wait", () => {
  it("waits", async () => {
    const startedAt = performance.now();
    expect(await callTool(wait, { input: { seconds: 0.2 } })).toEqual([{ waitedSeconds: 0.2 }]);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    expect(await callTool(wait, { input: { seconds: 0 } })).toEqual([{ waitedSeconds: 0 }]);
  });

  it("stops at once when it is aborted and says why", async () => {
    const abort = new AbortController();
    const outcome = callTool(wait, { input: { seconds: 3600 }, signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(outcome).rejects.toThrow("enough");
    await expect(callTool(wait, { input: { seconds: 1 }, signal: abort.signal })).rejects.toThrow("enough");
  });

  it.each([[-1], [3601], ["1"]])("refuses %j seconds", async (seconds) => {
    await expect(callTool(wait, { input: { seconds } })).rejects.toMatchObject({ code: "validation_failed" });
  });
});
