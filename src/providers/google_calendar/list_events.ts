import { z } from "zod";
import { path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { googleCalendarCredential } from "./credential.ts";
import { readMoment } from "./read-moment.ts";
import { readTime } from "./read-time.ts";

export const tool = defineTool({
  id: "google_calendar_list_events",
  title: "List events",
  description: "List events of a calendar in a time window.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleCalendarCredential,
  input: z.strictObject({
    calendarId: z.string().min(1).default("primary"),
    timeMin: z.iso.datetime({ offset: true }).optional().describe("RFC 3339 lower bound.").meta({ title: "From" }),
    timeMax: z.iso.datetime({ offset: true }).optional().describe("RFC 3339 upper bound.").meta({ title: "Until" }),
    query: z.string().optional().describe("Free text."),
    limit: z.int().min(1).max(250).default(20).describe("Most items to return (1-250)."),
  }),
  output: z.object({
    id: z.string().optional(),
    summary: z.string().optional(),
    description: z.string().optional(),
    location: z.string().optional(),
    start: z.string().optional().describe("Date or date-time."),
    end: z.string().optional(),
    attendees: z.array(z.string()).describe("Addresses."),
    status: z.string().optional(),
    url: z.string().optional(),
  }),
  async run({ input: { calendarId, query: q, limit, ...input }, http }) {
    const timeMin = input.timeMin ? readTime("/timeMin", input.timeMin) : undefined;
    const timeMax = input.timeMax ? readTime("/timeMax", input.timeMax) : undefined;
    const events = await collectPages<unknown, string>(limit, async (pageToken, wanted) => {
      const query = { timeMin, timeMax, q, singleEvents: true, orderBy: "startTime", maxResults: wanted, pageToken };
      const answer = await http.json({ path: path`/calendar/v3/calendars/${calendarId}/events`, query });
      return { items: listAt(answer, "items"), next: textAt(answer, "nextPageToken") };
    });
    return events.map((event) => ({
      id: textAt(event, "id"),
      summary: textAt(event, "summary"),
      description: textAt(event, "description"),
      location: textAt(event, "location"),
      start: readMoment(event, "start"),
      end: readMoment(event, "end"),
      attendees: listAt(event, "attendees").flatMap((attendee) => textAt(attendee, "email") ?? []),
      status: textAt(event, "status"),
      url: textAt(event, "htmlLink"),
    }));
  },
});
