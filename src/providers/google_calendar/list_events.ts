import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { googleCalendarCredential } from "./credential.ts";
import { readTime } from "./read-time.ts";
import { toEvent } from "./to-event.ts";

export const action = defineAction({
  id: "google_calendar_list_events",
  title: "List events",
  description: "List events of a calendar in a time window.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleCalendarCredential,
  input: z.strictObject({
    calendarId: z
      .string()
      .min(1)
      .default("primary")
      .describe(
        "Id of the calendar, or primary for that of the account. It is in the settings of the calendar under Integrate calendar.",
      )
      .meta({ choices: "calendars" }),
    timeMin: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        "Only events that end after this time, RFC 3339, e.g. 2026-01-31T09:00:00Z. From now on when it is absent; for the past give both.",
      )
      .meta({ title: "From" }),
    timeMax: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("Only events that start before this time, RFC 3339, e.g. 2026-02-01T00:00:00+01:00.")
      .meta({ title: "Until" }),
    query: z.string().optional().describe("Free text."),
    timeZone: z
      .string()
      .optional()
      .describe("IANA zone of the times in the answer, e.g. Europe/Berlin; that of the calendar when absent."),
    limit: z.int().min(1).max(250).default(20).describe("Most items to return (1-250)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Event id."),
    summary: z.string().optional().describe("Title."),
    description: z.string().optional().describe("Longer text about the event."),
    location: z.string().optional().describe("Where it takes place."),
    start: z.string().optional().describe("Date or date-time."),
    end: z.string().optional().describe("End as a date or an RFC 3339 time."),
    attendees: z.array(z.string()).describe("Addresses."),
    status: z.string().optional().describe("One of confirmed, tentative and cancelled."),
    url: z.string().optional().describe("Web address of the event."),
    timeZone: z.string().optional().describe("Time zone of the event."),
    meetUrl: z.string().optional().describe("Address of its Google Meet meeting."),
    recurringEventId: z.string().optional().describe("Id of the series, for an event that repeats."),
  }),
  async run({ input: { calendarId, query: q, limit, timeZone, ...input }, http, clock }) {
    const timeMax = input.timeMax ? readTime("/timeMax", input.timeMax) : undefined;
    const timeMin = input.timeMin ? readTime("/timeMin", input.timeMin) : fromNowOn(clock.now(), timeMax);
    const events = await collectPages<unknown, string>(limit, async (pageToken, wanted) => {
      const query = {
        timeMin,
        timeMax,
        timeZone,
        q,
        singleEvents: true,
        orderBy: "startTime",
        maxResults: wanted,
        pageToken,
      };
      const answer = await http.json({ path: path`/calendar/v3/calendars/${calendarId}/events`, query });
      return { items: listAt(answer, "items"), next: textAt(answer, "nextPageToken") };
    });
    return events.map(toEvent);
  },
});

/** Nobody who asks what is in a calendar means its first events of years ago, unless they name an end that has passed. */
function fromNowOn(now: Date, timeMax: string | undefined): string | undefined {
  const isPast = timeMax !== undefined && Date.parse(timeMax) <= now.getTime();
  return isPast ? undefined : now.toISOString();
}
