import fc from "fast-check";
import { expect, it } from "vitest";
import { nextFireTimes } from "./next-fire-times.ts";

const minuteMs = 60_000;
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo"];

const field = (least: number, most: number) => {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("*") },
    { weight: 3, arbitrary: value.map(String) },
    { weight: 1, arbitrary: fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most }).map((step) => `*/${step}`) },
    { weight: 1, arbitrary: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((values) => values.join(",")) },
  );
};
const cron = fc.tuple(field(0, 59), field(0, 23), fc.constant("*"), fc.constant("*"), field(0, 6)).map((fields) => fields.join(" "));
const moment = fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });

it("the ticks of a schedule are whole minutes, each after the one before, and the same whoever asks in between", () => {
  fc.assert(
    fc.property(cron, fc.constantFrom(...zones), moment, (text, timeZone, after) => {
      const schedule = { cron: text, timeZone };
      const ticks = nextFireTimes(schedule, after, 6);
      const times = [after, ...ticks].map((tick) => tick.getTime());
      expect(times.every((time, index) => index === 0 || time > (times[index - 1] as number))).toBe(true);
      expect(ticks.every((tick) => tick.getTime() % minuteMs === 0)).toBe(true);
      for (const [index, tick] of ticks.slice(0, -1).entries()) {
        expect(nextFireTimes(schedule, tick, 1)).toEqual([ticks[index + 1]]);
        const between = new Date((tick.getTime() + (ticks[index + 1] as Date).getTime()) / 2);
        expect(nextFireTimes(schedule, between, 1)).toEqual([ticks[index + 1]]);
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);

it("where no clock is ever changed, the ticks are the minutes that fit, and none of them is left out", () => {
  fc.assert(
    fc.property(cron, moment, (text, after) => {
      const fits = createFits(text);
      const [tick] = nextFireTimes({ cron: text, timeZone: "UTC" }, after, 1) as [Date];
      let expected = Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs;
      while (!fits(new Date(expected))) expected += minuteMs;
      expect(tick.toISOString()).toBe(new Date(expected).toISOString());
    }),
    { numRuns: 100 },
  );
}, 60_000);

/** A reading of the five fields as plain as can be. */
function createFits(text: string): (date: Date) => boolean {
  const [minute = "", hour = "", , , weekday = ""] = text.split(" ");
  const matches = (part: string, value: number): boolean =>
    part.split(",").some((one) => {
      const [range = "", step = "1"] = one.split("/");
      const [from = 0, to = from] = range === "*" ? [0, 59] : range.split("-").map(Number);
      return value >= from && value <= to && (value - from) % Number(step) === 0;
    });
  return (date) => matches(minute, date.getUTCMinutes()) && matches(hour, date.getUTCHours()) && matches(weekday, date.getUTCDay());
}
