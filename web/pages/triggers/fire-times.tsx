import { ownTimeZone } from "./time-zones.ts";

/** When a schedule fires: by the reader's clock, and by its own where that is another. */
export function FireTimes({ times, timeZone }: { times: string[]; timeZone: string }) {
  return (
    <ol className="grid gap-1 text-sm sm:grid-cols-[max-content_1fr] sm:gap-x-4">
      {times.map((at) => (
        <li key={at} className="col-span-full flex flex-wrap gap-x-3 sm:grid sm:grid-cols-subgrid">
          <FireTime at={at} />
          {timeZone !== ownTimeZone && <span className="text-muted">{describeThere(new Date(at), timeZone)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** Local, exact on hover. */
export function FireTime({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)} className="whitespace-nowrap tabular-nums">
      {local.format(date)}
    </time>
  );
}

const shown = { weekday: "short", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
const local = new Intl.DateTimeFormat(undefined, shown);
const dayFormat = (timeZone: string) => new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeZone });

/** The day only where it is another one. */
function describeThere(date: Date, timeZone: string): string {
  const isSameDay = dayFormat(timeZone).format(date) === dayFormat(ownTimeZone).format(date);
  const parts = isSameDay ? { hour: shown.hour, minute: shown.minute } : shown;
  return `${new Intl.DateTimeFormat(undefined, { ...parts, timeZone }).format(date)} in ${timeZone}`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "full" });
