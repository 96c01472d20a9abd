import { listAt, textAt } from "../../contract/read.ts";
import { readMoment } from "./read-moment.ts";

export const toEvent = (event: unknown) => ({
  id: textAt(event, "id"),
  summary: textAt(event, "summary"),
  description: textAt(event, "description"),
  location: textAt(event, "location"),
  start: readMoment(event, "start"),
  end: readMoment(event, "end"),
  attendees: listAt(event, "attendees").flatMap((attendee) => textAt(attendee, "email") ?? []),
  status: textAt(event, "status"),
  url: textAt(event, "htmlLink"),
  timeZone: textAt(event, "start", "timeZone"),
  meetUrl: textAt(event, "hangoutLink"),
  recurringEventId: textAt(event, "recurringEventId"),
});
