import { describe, expect, it } from "vitest";
import { checkSchedule, nextFireTimes } from "./next-fire-times.ts";

const timesOf = (cron: string, timeZone: string, after: string, count = 3) =>
  nextFireTimes({ cron, timeZone }, new Date(after), count).map((time) => time.toISOString().replace(":00.000Z", "Z"));

describe("the next fire times", () => {
  it("come after the moment, never at it", () => {
    expect(timesOf("0 9 * * 1-5", "Europe/Berlin", "2026-11-13T08:00:00Z")).toEqual([
      "2026-11-16T08:00Z",
      "2026-11-17T08:00Z",
      "2026-11-18T08:00Z",
    ]);
    expect(timesOf("* * * * *", "UTC", "2026-01-01T00:00:59.999Z", 1)).toEqual(["2026-01-01T00:01Z"]);
  });

  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T01:30Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"]],
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00:00Z", ["2026-03-08T07:30Z", "2026-03-09T06:30Z", "2026-03-10T06:30Z"]],
  ])("fire an hour later in %s when the clock skips them", (timeZone, cron, after, times) => {
    expect(timesOf(cron, timeZone, after)).toEqual(times);
  });

  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-27T01:30Z"]],
    ["America/New_York", "30 1 * * *", "2026-10-31T12:00:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z", "2026-11-03T06:30Z"]],
  ])("fire once in %s when the clock shows them twice, the first time", (timeZone, cron, after, times) => {
    expect(timesOf(cron, timeZone, after)).toEqual(times);
  });

  it("fire in both of two equal hours when they fire in every hour", () => {
    expect(timesOf("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 4)).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T01:00Z",
      "2026-10-25T02:00Z",
      "2026-10-25T03:00Z",
    ]);
  });

  it.each([
    ["Europe/Berlin", "2026-10-24T12:00:00Z"],
    ["Europe/Berlin", "2026-03-28T12:00:00Z"],
    ["America/New_York", "2026-10-31T12:00:00Z"],
    ["America/New_York", "2026-03-07T12:00:00Z"],
  ])("are the same from whichever moment of the day in %s from %s they are asked for", (timeZone, from) => {
    const dayMs = 86_400_000;
    for (const cron of ["30 2 * * *", "15,45 2 * * *", "30 1 * * *", "0 1-3 * * *", "*/30 * * * *"]) {
      const all = nextFireTimes({ cron, timeZone }, new Date(from), 200).map((time) => time.getTime());
      for (let at = Date.parse(from); at < Date.parse(from) + dayMs; at += 7 * 60_000 + 500)
        expect(nextFireTimes({ cron, timeZone }, new Date(at), 1)[0]?.getTime()).toBe(all.find((time) => time > at));
    }
  });
});

describe("a schedule", () => {
  it.each(["*/5 * * * *", "0 9 1 * *", "0 9 * * MON-FRI", "0 0 29 2 *", "0 0 L * *"])("may be %s", (cron) => {
    expect(() => checkSchedule({ cron, timeZone: "Europe/Berlin" })).not.toThrow();
  });

  it.each([
    ["* * * * * *", "five fields"],
    ["@daily", "five fields"],
    ["", "five fields"],
    ["* * *", "five fields"],
    ["H * * * *", "must not use H"],
    ["60 * * * *", "ever comes true"],
    ["0 0 30 2 *", "ever comes true"],
    ["a b c d e", "ever comes true"],
  ])("is refused as %j with words", (cron, words) => {
    expect(() => checkSchedule({ cron, timeZone: "UTC" })).toThrow(words);
  });

  it.each(["Mars/Base", "", "+03:00", "UTC+3", "local", "Europe/Berlin; DROP"])("is refused in the time zone %j", (timeZone) => {
    expect(() => checkSchedule({ cron: "* * * * *", timeZone })).toThrow(
      expect.objectContaining({ errors: [{ pointer: "/timeZone", detail: expect.any(String) }] }),
    );
  });
});
