/** Days are numbered from 1970-01-01, without any time zone: they are those of a calendar on the wall. */
export type CalendarDay = {
  day: number;
  year: number;
  month: number;
  dayOfMonth: number;
  weekday: number;
  daysInMonth: number;
};

/** The days of a schedule, of which there is at least one: `hasMonth` is asked before `hasDay`, so that whole months are passed over. */
export type DaySet = { hasMonth: (month: number) => boolean; hasDay: (day: CalendarDay) => boolean };

const dayMs = 86_400_000;
// The rarest day there is, a fifth Friday in February, may be 40 years away: some centuries begin without a leap year.
const monthsToLookAt = 41 * 12;

export const hasDay = (days: DaySet, day: number): boolean => {
  const read = readDay(day);
  return days.hasMonth(read.month) && days.hasDay(read);
};

/** The first day of the set that is not before the given one. */
export function findDay(days: DaySet, from: number): number {
  let read = readDay(from);
  for (let months = 0; months < monthsToLookAt; months += 1) {
    if (days.hasMonth(read.month))
      for (let { dayOfMonth } = read; dayOfMonth <= read.daysInMonth; dayOfMonth += 1) {
        const day = read.day + dayOfMonth - read.dayOfMonth;
        if (days.hasDay({ ...read, day, dayOfMonth, weekday: weekdayOf(day) })) return day;
      }
    read = readDay(read.day + read.daysInMonth - read.dayOfMonth + 1);
  }
  throw new Error("These days never come.");
}

/** The longest that a month can be, in a leap year. */
export const mostDaysInMonth = (month: number): number => daysInMonthOf(2000, month);

function readDay(day: number): CalendarDay {
  const date = new Date(day * dayMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  return {
    day,
    year,
    month,
    dayOfMonth: date.getUTCDate(),
    weekday: weekdayOf(day),
    daysInMonth: daysInMonthOf(year, month),
  };
}

function daysInMonthOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

// 1970-01-01 was a Thursday.
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
