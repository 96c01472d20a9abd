import { textAt } from "../../contract/read.ts";

/** When an event starts or ends: a date for all-day events, otherwise a date and time. */
export const readMoment = (event: unknown, edge: "start" | "end"): string | undefined =>
  textAt(event, edge, "dateTime") ?? textAt(event, edge, "date");
