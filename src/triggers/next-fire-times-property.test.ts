import fc from "fast-check";
import { expect, it } from "vitest";
import { nextFireTimes } from "./next-fire-times.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = [
  ...[
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Sao_Paulo",
  ],
  ...["Asia/Beirut", "America/St_Johns", "Africa/Casablanca", "Asia/Gaza", "Pacific/Chatham"],
];

/** Moments at which a clock was or will be changed: by an hour or half of one, at midnight or at night, and by a whole day. */
const changes: [timeZone: string, at: string][] = [
  ["Europe/Berlin", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00Z"],
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["Australia/Lord_Howe", "2032-04-03T15:00Z"],
  ["Australia/Lord_Howe", "2032-10-02T15:30Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["America/Sao_Paulo", "2018-02-18T02:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00Z"],
  ["Asia/Beirut", "2027-03-27T22:00Z"],
  ["Asia/Beirut", "2027-10-30T21:00Z"],
  ["America/St_Johns", "2010-11-07T02:31Z"],
  ["America/St_Johns", "2010-03-14T03:31Z"],
  ["Africa/Casablanca", "2027-02-07T02:00Z"],
];

const field = (least: number, most: number) => {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("*") },
    { weight: 3, arbitrary: value.map(String) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most }).map((step) => `*/${step}`) },
    { weight: 1, arbitrary: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((values) => values.join(",")) },
  );
};
const any = fc.constant("*");
const often = fc.tuple(field(0, 59), field(0, 23), any, any, field(0, 6)).map((fields) => fields.join(" "));
// Days up to the 29th are in every month at some time, so that no expression is impossible.
const seldom = fc
  .tuple(field(0, 59), field(0, 23), field(1, 29), field(1, 12), field(0, 6))
  .map((fields) => fields.join(" "));
const cron = fc.oneof(often, seldom);
// At the hours at which clocks are changed.
const nightly = fc
  .tuple(
    field(0, 59),
    fc.uniqueArray(fc.constantFrom(22, 23, 0, 1, 2, 3, 4), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("*", "0", "6"),
  )
  .map(([minute, hours, weekday]) => `${minute} ${hours.join(",")} * * ${weekday}`);
const moment = fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
const zoneAndMoment = fc.tuple(fc.constantFrom(...zones), moment);
const zoneBeforeChange = fc
  .tuple(fc.constantFrom(...changes), fc.integer({ min: -36 * 60, max: 6 * 60 }))
  .map(([[timeZone, at], minutes]): [string, Date] => [timeZone, new Date(Date.parse(at) + minutes * minuteMs)]);

it("the ticks of a schedule are whole minutes, each after the one before, and the same whoever asks in between", () => {
  fc.assert(
    fc.property(fc.oneof(cron, nightly), fc.oneof(zoneAndMoment, zoneBeforeChange), (text, [timeZone, after]) => {
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
    { numRuns: 400 },
  );
}, 60_000);

it("where no clock is ever changed, the ticks are the minutes that fit, and none of them is left out", () => {
  fc.assert(
    fc.property(cron, moment, (text, after) => {
      const fits = createFits(text);
      const [tick] = nextFireTimes({ cron: text, timeZone: "UTC" }, after, 1) as [Date];
      let expected = Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs;
      // A whole day at a time where none of it fits: the 29th of February may be eight years away.
      while (!fits.at(expected))
        expected = fits.on(expected) ? expected + minuteMs : (Math.floor(expected / dayMs) + 1) * dayMs;
      expect(tick.toISOString()).toBe(new Date(expected).toISOString());
    }),
    { numRuns: 200 },
  );
}, 60_000);

it("where a clock is changed, what it skips comes as much later and what it repeats comes once, as one sees who looks at it every minute", () => {
  fc.assert(
    fc.property(fc.oneof(cron, nightly), zoneBeforeChange, (text, [timeZone, after]) => {
      const until = after.getTime() + 2 * dayMs;
      const seen = watchClock(text, timeZone, after.getTime(), until);
      // One more than was seen: it must lie beyond. Of a schedule for every minute the first hours are enough.
      const ticks = nextFireTimes({ cron: text, timeZone }, after, Math.min(seen.length + 1, 1000)).map((tick) =>
        tick.getTime(),
      );
      expect(ticks.filter((tick) => tick < until).map(toText)).toEqual(seen.slice(0, 1000).map(toText));
    }),
    { numRuns: 100 },
  );
}, 120_000);

const toText = (time: number): string => new Date(time).toISOString();

/** Looks at a clock on the wall once a minute, beginning so long before that it has seen every change that still matters. */
function watchClock(text: string, timeZone: string, after: number, until: number): number[] {
  const fits = createFits(text);
  const readClock = createClock(timeZone);
  const isForEveryHour = Array.from({ length: 24 }, (_, hour) => hour).every((hour) => fits.hour(hour));
  const ticks: number[] = [];
  let shown = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  const skipped = new Map<number, number>();
  for (let time = Math.floor(after / minuteMs) * minuteMs - 1.5 * dayMs; time < until; time += minuteMs) {
    const clock = readClock(time);
    for (let missing = shown + minuteMs; missing < clock && Number.isFinite(shown); missing += minuteMs)
      skipped.set(time + missing - shown - minuteMs, missing);
    const late = skipped.get(time);
    const isTick = (fits.at(clock) && (isForEveryHour || clock > latest)) || (late !== undefined && fits.at(late));
    if (isTick && time > after) ticks.push(time);
    shown = clock;
    latest = Math.max(latest, clock);
  }
  return ticks;
}

/** What a clock shows, as the moment at which one in UTC shows the same. */
function createClock(timeZone: string): (time: number) => number {
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...digits });
  return (time) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (format.format(time).match(/\d+/g) ?? []).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** A reading of the five fields as plain as can be. */
function createFits(text: string) {
  const [minute = "", hour = "", dayOfMonth = "", month = "", weekday = ""] = text.split(" ");
  const matches = (part: string, value: number, least = 0): boolean =>
    part.split(",").some((one) => {
      const [range = "", step = "1"] = one.split("/");
      const [from = 0, to = from] = range === "*" ? [least, 59] : range.split("-").map(Number);
      return value >= from && value <= to && (value - from) % Number(step) === 0;
    });
  const on = (time: number): boolean => {
    const date = new Date(time);
    const byMonth = matches(dayOfMonth, date.getUTCDate(), 1);
    const byWeek = matches(weekday, date.getUTCDay());
    const isEitherEnough = dayOfMonth !== "*" && weekday !== "*";
    return matches(month, date.getUTCMonth() + 1, 1) && (isEitherEnough ? byMonth || byWeek : byMonth && byWeek);
  };
  return {
    on,
    hour: (value: number) => matches(hour, value),
    at: (time: number) => {
      const date = new Date(time);
      return matches(minute, date.getUTCMinutes()) && matches(hour, date.getUTCHours()) && on(time);
    },
  };
}
