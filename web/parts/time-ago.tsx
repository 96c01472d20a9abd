import { useNow } from "./duration.tsx";

/** How long ago something was, in words that keep up; the exact local time is in the tooltip. `near` says less than a minute. */
export function TimeAgo({ at, near = "just now" }: { at: string; near?: string }) {
  const now = useNow(15_000);
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)} className="whitespace-nowrap">
      {describeDistance(date.getTime() - now) ?? near}
    </time>
  );
}

/** Such as `3 hours ago` or `in 2 days`. */
function describeDistance(distanceMs: number): string | undefined {
  const unit = units.find(({ ms }) => Math.abs(distanceMs) >= ms);
  return unit && relative.format(Math.trunc(distanceMs / unit.ms), unit.name);
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const minuteMs = 60_000;
const units = [
  { name: "year", ms: 365 * 24 * 60 * minuteMs },
  { name: "month", ms: 30 * 24 * 60 * minuteMs },
  { name: "day", ms: 24 * 60 * minuteMs },
  { name: "hour", ms: 60 * minuteMs },
  { name: "minute", ms: minuteMs },
] as const;
