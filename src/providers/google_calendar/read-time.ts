import { refuseInput } from "../../contract/refuse-input.ts";

const form =
  /^(?<date>\d{4}-\d\d-\d\d)[T ](?<time>(?:[01]\d|2[0-3]):[0-5]\d)(?<seconds>:[0-5]\d(?:\.\d+)?)?(?<offset>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i;

/** A time as Google wants it, with an offset: its own, or else that of the time zone. */
export function readTime(pointer: string, text: string, timeZone?: string): string {
  const { date = "", time = "", seconds = ":00", offset } = form.exec(text)?.groups ?? {};
  if (!isDate(date)) throw refuseInput(pointer, "must be a time such as 2026-01-31T09:00:00Z");
  const local = `${date}T${time}${seconds}`;
  if (offset === undefined && !timeZone) throw refuseInput(pointer, "must end with Z or an offset such as +01:00");
  return local + (offset?.toUpperCase() ?? offsetAt(local, timeZone ?? ""));
}

export function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return text.length === 10 && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(`${text}T`);
}

/** The offset that the clocks of a time zone have when they show a time. */
function offsetAt(local: string, timeZone: string): string {
  const shown = Date.parse(`${local}Z`);
  const roughly = readOffset(shown, timeZone);
  return readOffset(Date.parse(local + roughly), timeZone);
}

function readOffset(moment: number, timeZone: string): string {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "";
    return /[+-]\d\d:\d\d/.exec(name)?.[0] ?? "+00:00";
  } catch {
    throw refuseInput("/timeZone", "must be an IANA time zone such as Europe/Berlin");
  }
}
