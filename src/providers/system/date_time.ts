import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const units = ["years", "months", "days", "hours", "minutes", "seconds"] as const;

export const action = defineAction({
  id: "system_date_time",
  title: "Date and time",
  synonyms: ["now", "today", "clock", "format date"],
  description: "Current time, or parse, shift and format a date in a time zone.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  credential: null,
  input: z.strictObject({
    date: z.string().min(1).optional().describe("RFC 3339 time, e.g. 2026-01-31T09:00:00Z; now when absent."),
    timeZone: z.string().min(1).default("UTC").describe("IANA zone, e.g. Europe/Berlin."),
    add: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What to add in years, months, days, hours, minutes and seconds, e.g. {"days": 1, "hours": -2}.'),
    format: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Output pattern.")
      .meta({ examples: ["yyyy-MM-dd HH:mm", "EEEE, d MMMM yyyy 'at' h:mm a", "dd.MM.yyyy HH:mm:ss XXX"] }),
  }),
  output: z.object({
    iso: z.string().describe("RFC 3339 with the offset of the time zone."),
    unix: z.int().describe("Seconds since 1970."),
    formatted: z.string().optional().describe("When a pattern was given."),
    timeZone: z.string().describe("Time zone of the result."),
    weekday: z.string().describe("English name of the day."),
  }),
  async run({ input, clock }) {
    const { date, timeZone, add = {}, format } = input;
    const offsetAt = createOffsetReader(timeZone);
    const start = date === undefined ? clock.now().getTime() : parseDate(date, offsetAt);
    const instant = shift(start, readAmounts(add), offsetAt);
    const isShown = isWritable(instant) && isWritable(instant + offsetAt(instant));
    if (!isShown) throw refuseInput(input.add ? "/add" : "/date", "leads out of the years 1 to 9999");
    // RFC 3339 knows no seconds in offsets, which some zones had long ago.
    const offsetMinutes = Math.round(offsetAt(instant) / minuteMs);
    const wall = new Date(instant + offsetMinutes * minuteMs);
    const offset = writeOffset(offsetMinutes);
    return [
      {
        iso: wall.toISOString().replace("Z", offset),
        unix: Math.floor(instant / 1000),
        ...(format === undefined ? {} : { formatted: writePattern(format, { wall, offset, timeZone }) }),
        timeZone,
        weekday: names.longWeekday(wall),
      },
    ];
  },
});

// Below, `wall` is what clocks in the zone show, kept as if it were UTC; `instant` is the real time. Both in milliseconds.

type OffsetReader = (instant: number) => number;

// A formatter costs more to make than all the rest of a call. There are about 600 zones, so what is kept is bounded.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const parts = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  try {
    const made = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", era: "short", ...parts });
    if (formatters.size < 1000) formatters.set(timeZone, made);
    return made;
  } catch {
    throw refuseInput("/timeZone", "must be an IANA time zone such as Europe/Berlin");
  }
}

function createOffsetReader(timeZone: string): OffsetReader {
  const clock = formatterOf(timeZone);
  if (timeZone === "UTC") return () => 0;
  return (instant) => {
    const shown = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, value]));
    const year = shown.era === "BC" ? 1 - Number(shown.year) : Number(shown.year);
    const time = [Number(shown.hour), Number(shown.minute), Number(shown.second)] as const;
    return toWall([year, Number(shown.month), Number(shown.day)], time) - Math.floor(instant / 1000) * 1000;
  };
}

/** As clocks are read everywhere: a time that is skipped means the time after the gap, one that comes twice its first time. */
function toInstant(wall: number, offsetAt: OffsetReader): number {
  const before = offsetAt(wall - dayMs);
  const after = offsetAt(wall + dayMs);
  const candidates = [before, after].filter((offset) => offsetAt(wall - offset) === offset);
  return wall - (candidates[0] ?? before);
}

function toWall(
  [year, month, day]: readonly [number, number, number],
  [hour, minute, second]: readonly [number, number, number],
): number {
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
}

const [firstWritable, firstTooLate] = [toWall([1, 1, 1], [0, 0, 0]), toWall([10_000, 1, 1], [0, 0, 0])];
const isWritable = (wall: number) => wall >= firstWritable && wall < firstTooLate;

const datePattern = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?$/;

/** A date without an offset is what clocks in the zone show. */
function parseDate(text: string, offsetAt: OffsetReader): number {
  const match = datePattern.exec(text.trim());
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((group) => Number(match?.[group] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const midnight = toWall([year, month, day], [0, 0, 0]);
  const isReal =
    isWritable(midnight) && new Date(midnight).getUTCMonth() === month - 1 && new Date(midnight).getUTCDate() === day;
  if (!match || !isReal || hour > 23 || minute > 59 || second > 60)
    throw refuseInput("/date", "must be an RFC 3339 time such as 2026-01-31T09:00:00Z");
  const wall = toWall([year, month, day], [hour, minute, second]) + Math.floor(Number(match[7] ?? 0) * 1000);
  const offset = match[8];
  if (offset === undefined) return toInstant(wall, offsetAt);
  if (offset.toUpperCase() === "Z") return wall;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return wall - (offset.startsWith("-") ? -minutes : minutes) * minuteMs;
}

type Amounts = Record<(typeof units)[number], number>;

function readAmounts(add: Record<string, unknown>): Amounts {
  const stranger = Object.keys(add).find((name) => !units.some((unit) => unit === name));
  if (stranger !== undefined) throw refuseInput(`/add/${stranger}`, `is not one of ${units.join(", ")}`);
  return Object.fromEntries(
    units.map((unit) => {
      const amount = add[unit] ?? 0;
      if (typeof amount !== "number" || !Number.isSafeInteger(amount))
        throw refuseInput(`/add/${unit}`, "must be a whole number");
      return [unit, amount];
    }),
  ) as Amounts;
}

/** Years, months and days are counted on the calendar, so that the time of day stays; hours and less are real time. */
function shift(
  instant: number,
  { years, months, days, hours, minutes, seconds }: Amounts,
  offsetAt: OffsetReader,
): number {
  const realMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  if (years === 0 && months === 0 && days === 0) return instant + realMs;
  const date = new Date(instant + offsetAt(instant));
  const dayOfMonth = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months);
  const daysInMonth = new Date(new Date(date).setUTCMonth(date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(dayOfMonth, daysInMonth) + days);
  return isWritable(date.getTime()) ? toInstant(date.getTime(), offsetAt) + realMs : Number.NaN;
}

const writeOffset = (minutes: number): string => {
  if (minutes === 0) return "Z";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${pad(hours, 2)}:${pad(rest, 2)}`;
};

const pad = (number: number, length: number) => String(number).padStart(length, "0");

const namesOf = (options: Intl.DateTimeFormatOptions, moments: number[]): string[] => {
  const names = new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
  return moments.map((moment) => names.format(moment));
};
// The first of January 2023 was a Sunday.
const days = [1, 2, 3, 4, 5, 6, 7].map((day) => Date.UTC(2023, 0, day));
const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month));
const [longWeekdays, shortWeekdays] = [namesOf({ weekday: "long" }, days), namesOf({ weekday: "short" }, days)];
const [longMonths, shortMonths] = [namesOf({ month: "long" }, months), namesOf({ month: "short" }, months)];

const names = {
  longWeekday: (wall: Date) => longWeekdays[wall.getUTCDay()] ?? "",
  shortWeekday: (wall: Date) => shortWeekdays[wall.getUTCDay()] ?? "",
  longMonth: (wall: Date) => longMonths[wall.getUTCMonth()] ?? "",
  shortMonth: (wall: Date) => shortMonths[wall.getUTCMonth()] ?? "",
};

type Shown = { wall: Date; offset: string; timeZone: string };

/** The letters of a pattern, as in Unicode's date patterns. Other letters must be in single quotes; '' is a quote. */
const letters: Record<string, (shown: Shown) => string> = {
  yyyy: ({ wall }) => pad(wall.getUTCFullYear(), 4),
  yy: ({ wall }) => pad(wall.getUTCFullYear() % 100, 2),
  MMMM: ({ wall }) => names.longMonth(wall),
  MMM: ({ wall }) => names.shortMonth(wall),
  MM: ({ wall }) => pad(wall.getUTCMonth() + 1, 2),
  M: ({ wall }) => String(wall.getUTCMonth() + 1),
  dd: ({ wall }) => pad(wall.getUTCDate(), 2),
  d: ({ wall }) => String(wall.getUTCDate()),
  EEEE: ({ wall }) => names.longWeekday(wall),
  EEE: ({ wall }) => names.shortWeekday(wall),
  HH: ({ wall }) => pad(wall.getUTCHours(), 2),
  H: ({ wall }) => String(wall.getUTCHours()),
  hh: ({ wall }) => pad(wall.getUTCHours() % 12 || 12, 2),
  h: ({ wall }) => String(wall.getUTCHours() % 12 || 12),
  mm: ({ wall }) => pad(wall.getUTCMinutes(), 2),
  m: ({ wall }) => String(wall.getUTCMinutes()),
  ss: ({ wall }) => pad(wall.getUTCSeconds(), 2),
  s: ({ wall }) => String(wall.getUTCSeconds()),
  SSS: ({ wall }) => pad(wall.getUTCMilliseconds(), 3),
  a: ({ wall }) => (wall.getUTCHours() < 12 ? "AM" : "PM"),
  XXX: ({ offset }) => offset,
  VV: ({ timeZone }) => timeZone,
};

function writePattern(format: string, shown: Shown): string {
  return format.replaceAll(/''|'((?:[^']|'')*)'|([A-Za-z])\2*|'/g, (part, quoted?: string) => {
    if (part === "''") return "'";
    if (quoted !== undefined) return quoted.replaceAll("''", "'");
    const write = Object.hasOwn(letters, part) ? letters[part] : undefined;
    if (write) return write(shown);
    throw refuseInput(
      "/format",
      `has ${part}, which means nothing: use ${Object.keys(letters).join(", ")} and put other letters in single quotes`,
    );
  });
}
