type MomentProps = { at: string; show?: "day" | "time" };

/** An instant in the reader's language: its day, or with `show="time"` its time of day. The exact moment is in the tooltip. */
export function Moment({ at, show = "day" }: MomentProps) {
  const date = new Date(at);
  const format = show === "day" ? day : isToday(date) ? time : dayAndTime;
  return (
    <time dateTime={at} title={exact.format(date)} className="whitespace-nowrap">
      {format.format(date)}
    </time>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});
const exact = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  timeZoneName: "short",
});

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString();
