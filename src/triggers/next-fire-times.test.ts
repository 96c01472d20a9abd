import { describe, expect, it } from "vitest";
import { findDay } from "./calendar-days.ts";
import { type CronFields, readCronFields } from "./cron-fields.ts";
import { findTick } from "./find-tick.ts";
import { checkSchedule, nextFireTimes } from "./next-fire-times.ts";
import { offsetsOf } from "./zone-offsets.ts";

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
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:30Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"],
    ],
    [
      "America/New_York",
      "30 2 * * *",
      "2026-03-07T12:00:00Z",
      ["2026-03-08T07:30Z", "2026-03-09T06:30Z", "2026-03-10T06:30Z"],
    ],
  ])("fire an hour later in %s when the clock skips them", (timeZone, cron, after, times) => {
    expect(timesOf(cron, timeZone, after)).toEqual(times);
  });

  it.each([
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z", "2026-10-27T01:30Z"],
    ],
    [
      "America/New_York",
      "30 1 * * *",
      "2026-10-31T12:00:00Z",
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z", "2026-11-03T06:30Z"],
    ],
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

describe("the next fire times where a clock is changed otherwise than by an hour at night", () => {
  it.each([
    ["0 */1 * * 0", "Australia/Lord_Howe", "2032-10-02T14:00:00Z", ["2032-10-02T14:30Z", "2032-10-02T15:30Z"]],
    ["0 */1 * * 0", "Australia/Lord_Howe", "2032-03-28T09:00:00Z", ["2032-03-28T10:00Z", "2032-03-28T11:00Z"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2032-04-03T12:00:00Z", ["2032-04-03T14:45Z", "2032-04-04T15:15Z"]],
    ["0 0 * * *", "Asia/Beirut", "2027-03-27T12:00:00Z", ["2027-03-27T22:00Z", "2027-03-28T21:00Z"]],
    ["30 23 * * 6", "America/Sao_Paulo", "2018-02-17T12:00:00Z", ["2018-02-18T01:30Z", "2018-02-25T02:30Z"]],
    ["0 9 30 12 *", "Pacific/Apia", "2011-12-29T12:00:00Z", ["2011-12-30T19:00Z", "2012-12-29T19:00Z"]],
    ["0 9 31 12 *", "Pacific/Apia", "2011-01-15T12:00:00Z", ["2011-12-30T19:00Z", "2012-12-30T19:00Z"]],
  ])("of %s in %s after %s are %j", (cron, timeZone, after, times) => {
    expect(timesOf(cron, timeZone, after, 2)).toEqual(times);
  });

  it("are found for every hour of a whole year", () => {
    const times = nextFireTimes(
      { cron: "0 * * * *", timeZone: "Australia/Lord_Howe" },
      new Date("2032-01-01T00:00:00Z"),
      365 * 24,
    );
    expect(times.at(-1)?.toISOString()).toBe("2032-12-31T00:00:00.000Z");
  });
});

describe("the day of a schedule", () => {
  it.each([
    ["0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00Z"],
    ["0 0 31 2,4,6,9,12 *", "2026-01-01T00:00:00Z", "2026-12-31T00:00Z"],
    ["0 0 L 2 *", "2028-01-01T00:00:00Z", "2028-02-29T00:00Z"],
    ["0 0 30 2 1", "2026-01-01T00:00:00Z", "2026-02-02T00:00Z"],
    ["0 0 13 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00Z"],
    ["0 0 ? * 5L", "2026-01-01T00:00:00Z", "2026-01-30T00:00Z"],
    ["0 0 * * 5#3", "2026-01-01T00:00:00Z", "2026-01-16T00:00Z"],
    ["0 0 * 2 5#5", "2064-03-01T00:00:00Z", "2092-02-29T00:00Z"],
    ["0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00Z"],
  ])("of %s after %s is %s", (cron, after, time) => {
    expect(timesOf(cron, "UTC", after, 1)).toEqual([time]);
  });

  it("is found month by month, and then day by day in a month that fits", () => {
    for (const cron of ["0 0 29 2 *", "0 0 31 12 *", "0 0 * 2 5#5", "* * * * *"]) {
      const { days } = readCronFields(cron) as CronFields;
      let steps = 0;
      const count =
        <Input>(ask: (input: Input) => boolean) =>
        (input: Input) => {
          steps += 1;
          return ask(input);
        };
      findDay({ hasMonth: count(days.hasMonth), hasDay: count(days.hasDay) }, Date.UTC(2096, 2, 1) / 86_400_000);
      expect(steps, cron).toBeLessThan(41 * (12 + 29));
    }
  });

  it("is held against the changes of the clock with few questions about its offset, however far away it is", () => {
    for (const cron of ["0 0 29 2 *", "0 2 * * *", "* * * * *", "0 0 * 2 5#5"])
      for (const after of ["2096-03-01T00:00Z", "2026-03-28T12:00Z", "2026-10-24T12:00Z"]) {
        let questions = 0;
        const offsetAt = (minute: number) => {
          questions += 1;
          return offsetsOf("Europe/Berlin")(minute);
        };
        findTick(readCronFields(cron) as CronFields, offsetAt, Date.parse(after) / 60_000);
        expect(questions, `${cron} after ${after}`).toBeLessThan(50);
      }
  });
});

describe("a schedule", () => {
  it.each(["*/5 * * * *", "0 9 1 * *", "0 9 * * MON-FRI", "0 0 29 2 *", "0 0 L * *", "0 0 31 2 1"])(
    "may be %s",
    (cron) => {
      expect(() => checkSchedule({ cron, timeZone: "Europe/Berlin" })).not.toThrow();
    },
  );

  it.each([
    ["* * * * * *", "five fields"],
    ["@daily", "five fields"],
    ["", "five fields"],
    ["* * *", "five fields"],
    ["H * * * *", "must not use H"],
    ["60 * * * *", "ever comes true"],
    ["0 0 30 2 *", "ever comes true"],
    ["0 0 31 2,4,6,9,11 *", "ever comes true"],
    ["0 0 30,31 2 ?", "ever comes true"],
    ["0 0 * * 5#6", "ever comes true"],
    ["a b c d e", "ever comes true"],
  ])("is refused as %j with words", (cron, words) => {
    expect(() => checkSchedule({ cron, timeZone: "UTC" })).toThrow(words);
  });

  it.each(["Mars/Base", "", "+03:00", "UTC+3", "local", "Europe/Berlin; DROP"])(
    "is refused in the time zone %j",
    (timeZone) => {
      expect(() => checkSchedule({ cron: "* * * * *", timeZone })).toThrow(
        expect.objectContaining({ errors: [{ pointer: "/timeZone", detail: expect.any(String) }] }),
      );
    },
  );
});
