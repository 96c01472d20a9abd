import { rememberLatest } from "../base/remember.ts";

/** How many minutes a zone's clock is ahead of UTC at a minute, counted from 1970 in UTC. */
export type OffsetAt = (utcMinute: number) => number;

const minuteMs = 60_000;
// There are about 600 names of zones, but each may be written in capitals or not.
const zonesToKeep = 600;

/** Throws for a name that is no time zone. Making a formatter takes forty times as long as asking it. */
export const offsetsOf = rememberLatest(zonesToKeep, (timeZone: string): OffsetAt => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (utcMinute) => readOffset(format.format(utcMinute * minuteMs));
});

/** `3/28/2032, GMT+10:30`; without a number it is UTC. */
function readOffset(text: string): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** From a minute on the clock is ahead by an offset, until the next stretch begins. */
export type Stretch = { start: number; offset: number };

/** The offsets between two minutes, which are a few days apart: no clock is changed and changed back in so short a time. */
export function stretchesBetween(offsetAt: OffsetAt, start: number, end: number): Stretch[] {
  const stretches: Stretch[] = [{ start, offset: offsetAt(start) }];
  const lastOffset = offsetAt(end);
  for (let last = stretches[0] as Stretch; last.offset !== lastOffset; last = stretches.at(-1) as Stretch) {
    let [before, after] = [last.start, end];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle) === last.offset) before = middle;
      else after = middle;
    }
    stretches.push({ start: after, offset: offsetAt(after) });
  }
  return stretches;
}
