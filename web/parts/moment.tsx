/** An instant as a day in the reader's language; the exact time is in the tooltip. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)} className="whitespace-nowrap">
      {day.format(date)}
    </time>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
