import { CronExpressionParser, type CronFieldCollection } from "cron-parser";
import { rememberLatest } from "../base/remember.ts";
import { type CalendarDay, type DaySet, mostDaysInMonth } from "./calendar-days.ts";

export type CronFields = {
  /** In ascending order, as the hours are. */
  minutes: readonly number[];
  hours: readonly number[];
  days: DaySet;
};

const expressionsToKeep = 1000;

/** The five fields as sets; nothing when they are no cron expression or no day ever fits them. Reading takes longer than finding a tick. */
export const readCronFields = rememberLatest(expressionsToKeep, (cron: string): CronFields | undefined => {
  const fields = parse(cron);
  if (!fields || !isPossible(fields)) return undefined;
  const months = new Set<number>(fields.month.values);
  return {
    minutes: fields.minute.values,
    hours: fields.hour.values,
    days: { hasMonth: (month) => months.has(month), hasDay: createFitsDay(fields) },
  };
});

function parse(cron: string): CronFieldCollection | undefined {
  try {
    // Only read here: its search for the next time takes seconds for a day that never comes, and fails around changes of the clock.
    return CronExpressionParser.parse(cron, { tz: "UTC", currentDate: 0 }).fields;
  } catch {
    return undefined;
  }
}

/** Every month has every day of the week, and at some time a fifth one; only days of the month can be missing from all months. */
function isPossible({ dayOfMonth, dayOfWeek, month }: CronFieldCollection): boolean {
  if (dayOfMonth.hasLastChar || !dayOfWeek.isWildcard) return true;
  const mostDays = Math.max(...month.values.map(mostDaysInMonth));
  return dayOfMonth.values.some((value) => Number(value) <= mostDays);
}

/** A day of the month and a day of the week that are both given need not come together: either is enough. */
function createFitsDay({ dayOfMonth, dayOfWeek }: CronFieldCollection): (day: CalendarDay) => boolean {
  const daysOfMonth = new Set<number | string>(dayOfMonth.values);
  const fitsMonth = (day: CalendarDay) =>
    daysOfMonth.has(day.dayOfMonth) || (dayOfMonth.hasLastChar && day.dayOfMonth === day.daysInMonth);
  if (dayOfWeek.isWildcard) return fitsMonth;

  const weekdays = new Set<number | string>(dayOfWeek.values);
  // `5L` is the last Friday of the month, `5#3` the third.
  const lastWeekdays = new Set(
    dayOfWeek.hasLastChar ? dayOfWeek.values.map((value) => Number(String(value).charAt(0)) % 7) : [],
  );
  const fitsNth = (day: CalendarDay) => dayOfWeek.nthDay === 0 || Math.ceil(day.dayOfMonth / 7) === dayOfWeek.nthDay;
  const fitsWeek = (day: CalendarDay) =>
    (weekdays.has(day.weekday) && fitsNth(day)) ||
    (lastWeekdays.has(day.weekday) && day.dayOfMonth > day.daysInMonth - 7);
  return dayOfMonth.isWildcard ? fitsWeek : (day) => fitsMonth(day) || fitsWeek(day);
}
