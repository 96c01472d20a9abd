/** From when to when a bar counts, in the reader's time. */
export function describeBucket(at: string, bucketMinutes: number): string {
  const begin = new Date(at);
  return moment.formatRange(begin, new Date(begin.getTime() + bucketMinutes * 60_000));
}

/** Hours where a day is shown, days where weeks are. */
export function formatTick(at: string, bucketMinutes: number): string {
  return (bucketMinutes < 60 ? hour : day).format(new Date(at));
}

const mostTicks = 7;

/** Whole days, or four hours where a day is shown, so that no tick skips one. */
export function barsBetweenTicks(count: number, bucketMinutes: number): number {
  const step = (bucketMinutes < 60 ? 4 * 60 : 24 * 60) / bucketMinutes;
  return step * Math.ceil(count / step / mostTicks);
}

const moment = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
