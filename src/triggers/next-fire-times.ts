import { type FieldFault, Refusal } from "../base/refusal.ts";
import { readCronFields } from "./cron-fields.ts";
import { findTick } from "./find-tick.ts";
import { offsetsOf } from "./zone-offsets.ts";

export type Schedule = { cron: string; timeZone: string };

const minuteMs = 60_000;

/** The ticks after a moment. An hour that the clock repeats counts once; what falls into one that it skips fires as much later. */
export function nextFireTimes({ cron, timeZone }: Schedule, after: Date, count: number): Date[] {
  const fields = readCronFields(cron);
  if (!fields) throw new Error("The schedule never fires.");
  const offsetAt = offsetsOf(timeZone);
  const times: Date[] = [];
  let minute = Math.floor(after.getTime() / minuteMs);
  while (times.length < count) {
    minute = findTick(fields, offsetAt, minute + 1);
    times.push(new Date(minute * minuteMs));
  }
  return times;
}

export const firstTick = (schedule: Schedule, after: Date): Date => nextFireTimes(schedule, after, 1)[0] as Date;

/** Refuses with words what `nextFireTimes` cannot follow. */
export function checkSchedule(schedule: Schedule): void {
  const errors: FieldFault[] = [
    ...faultOf("/cron", cronFault(schedule.cron)),
    ...faultOf("/timeZone", isTimeZone(schedule.timeZone) ? undefined : "is not a time zone such as Europe/Berlin"),
  ];
  const [first] = errors;
  if (first) throw new Refusal("validation_failed", `${first.pointer.slice(1)} ${first.detail}.`, { errors });
}

const faultOf = (pointer: string, detail: string | undefined): FieldFault[] =>
  detail === undefined ? [] : [{ pointer, detail }];

function cronFault(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== 5)
    return `must have five fields (minute, hour, day of month, month, day of week), not ${fields}; seconds are not supported`;
  // The library's own additions: a field chosen by a hash of the text would move when somebody adds a space.
  if (/\bH\b/.test(cron)) return "must not use H";
  return readCronFields(cron) ? undefined : "is not a cron expression that ever comes true";
}

function isTimeZone(name: string): boolean {
  if (!/^(UTC|[A-Za-z]+(\/[A-Za-z0-9_+-]+)+)$/.test(name)) return false;
  try {
    offsetsOf(name);
    return true;
  } catch {
    return false;
  }
}
