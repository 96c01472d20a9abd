import { findDay, hasDay } from "./calendar-days.ts";
import type { CronFields } from "./cron-fields.ts";
import { type OffsetAt, type Stretch, stretchesBetween } from "./zone-offsets.ts";

const dayMinutes = 24 * 60;
// Longer than the largest change of a clock there was: Samoa left out a day.
const changeMinutes = 2 * dayMinutes;
const windowMinutes = 4 * dayMinutes;

/**
 * The first tick that is not before a minute; minutes are counted from 1970, in UTC.
 * The day is found on the calendar, and only what lies within a few days of it is held against the changes of the clock.
 */
export function findTick(fields: CronFields, offsetAt: OffsetAt, from: number): number {
  for (let start = from; ; ) {
    const end = start + windowMinutes;
    const stretches = stretchesBetween(offsetAt, start - changeMinutes, end);
    const tick = findTickIn(fields, { stretches, start, end });
    if (tick < end) return tick;
    // Nothing on the wall fits before that one, so nothing can fire earlier than the clock may be changed by.
    start = Math.max(end, tick - changeMinutes);
  }
}

type Window = { stretches: Stretch[]; start: number; end: number };

/** One that is not before the end is only what it would be if the clock were never changed again. */
function findTickIn(fields: CronFields, { stretches, start, end }: Window): number {
  let tick = Number.POSITIVE_INFINITY;
  for (const [index, stretch] of stretches.entries()) {
    const stretchEnd = stretches[index + 1]?.start ?? end;
    if (stretchEnd <= start) continue;
    const from = Math.max(start, stretch.start);
    tick = Math.min(
      shownTick(fields, from, stretch, stretches[index - 1]),
      skippedTick(fields, from, stretch, stretches[index - 1]),
    );
    if (tick < stretchEnd) return tick;
  }
  return tick;
}

/** What the clock shows. What it showed before it was set back counts once, unless the schedule is for every hour. */
function shownTick(fields: CronFields, from: number, { start, offset }: Stretch, before: Stretch | undefined): number {
  const isForEveryHour = fields.hours.length === 24;
  const shownUntil = before && !isForEveryHour ? start + before.offset : from + offset;
  return findMinute(fields, Math.max(from + offset, shownUntil)) - offset;
}

/** What the clock left out when it was set forward fires as much later, as if it had not been. */
function skippedTick(
  fields: CronFields,
  from: number,
  { start, offset }: Stretch,
  before: Stretch | undefined,
): number {
  if (!before || from + before.offset >= start + offset) return Number.POSITIVE_INFINITY;
  const minute = findMinute(fields, from + before.offset);
  return minute < start + offset ? minute - before.offset : Number.POSITIVE_INFINITY;
}

/** The first minute on the wall that fits and is not before the given one. */
function findMinute(fields: CronFields, from: number): number {
  const today = Math.floor(from / dayMinutes);
  const minute = hasDay(fields.days, today) ? findMinuteOfDay(fields, from - today * dayMinutes) : undefined;
  if (minute !== undefined) return today * dayMinutes + minute;
  return findDay(fields.days, today + 1) * dayMinutes + (findMinuteOfDay(fields, 0) as number);
}

function findMinuteOfDay({ hours, minutes }: CronFields, from: number): number | undefined {
  const thisHour = Math.floor(from / 60);
  const minute = hours.includes(thisHour) ? minutes.find((one) => one >= from % 60) : undefined;
  if (minute !== undefined) return thisHour * 60 + minute;
  const hour = hours.find((one) => one > thisHour);
  return hour === undefined ? undefined : hour * 60 + (minutes[0] as number);
}
