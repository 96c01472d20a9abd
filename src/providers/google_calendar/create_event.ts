import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { googleCalendarCredential } from "./credential.ts";
import { readMoment } from "./read-moment.ts";
import { isDate, readTime } from "./read-time.ts";

export const action = defineAction({
  id: "google_calendar_create_event",
  title: "Create event",
  description: "Create a calendar event.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
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
    summary: z.string().min(1).describe("Title."),
    start: z
      .string()
      .min(1)
      .describe("RFC 3339 time, e.g. 2026-01-31T09:00:00+01:00, or the date alone for all-day, e.g. 2026-01-31."),
    end: z.string().min(1).describe("In the same form as the start; for all-day events the day after the last."),
    timeZone: z
      .string()
      .optional()
      .describe("IANA zone, e.g. Europe/Berlin. Needed for times without an offset, and for events that repeat."),
    description: z.string().optional().describe("Longer text about the event."),
    location: z.string().optional().describe("Where it takes place."),
    attendees: z.array(z.string()).optional().describe("Addresses."),
    recurrence: z
      .array(z.string().min(1))
      .optional()
      .describe("How it repeats, as RFC 5545 rules, e.g. FREQ=WEEKLY;BYDAY=MO;COUNT=10 or EXDATE;VALUE=DATE:20260302."),
    addMeet: z
      .boolean()
      .default(false)
      .describe("Whether to add a Google Meet meeting.")
      .meta({ title: "Add Google Meet" }),
    sendUpdates: z.enum(["all", "externalOnly", "none"]).default("none").describe("Who gets a mail about it."),
  }),
  output: z.object({
    id: z.string().optional().describe("Event id."),
    url: z.string().optional().describe("Web address of the event."),
    start: z.string().optional().describe("Start as a date or an RFC 3339 time."),
    end: z.string().optional().describe("End as a date or an RFC 3339 time."),
    status: z.string().optional().describe("One of confirmed, tentative and cancelled."),
    meetUrl: z.string().optional().describe("Address of the Google Meet meeting, where one was added."),
  }),
  async run({
    input: { calendarId, start, end, timeZone, attendees, sendUpdates, recurrence, addMeet, ...event },
    http,
    idempotencyKey,
  }) {
    if (recurrence?.length && !timeZone && !isDate(start))
      throw refuseInput("/timeZone", "is needed for an event that repeats");
    const created = await http.json({
      method: "POST",
      path: path`/calendar/v3/calendars/${calendarId}/events`,
      query: { sendUpdates, ...(addMeet ? { conferenceDataVersion: 1 } : {}) },
      json: {
        ...event,
        start: toMoment("/start", start, timeZone),
        end: toMoment("/end", end, timeZone),
        attendees: attendees?.map((email) => ({ email })),
        recurrence: recurrence?.map(toRule),
        conferenceData: addMeet ? toMeeting(idempotencyKey) : undefined,
      },
    });
    return [
      {
        id: requireProof("Google Calendar", textAt(created, "id"), "event id"),
        url: textAt(created, "htmlLink"),
        start: readMoment(created, "start"),
        end: readMoment(created, "end"),
        status: textAt(created, "status"),
        meetUrl: textAt(created, "hangoutLink"),
      },
    ];
  },
});

/** People leave out what kind of rule it is, which is nearly always how often. */
const toRule = (text: string): string =>
  /^(RRULE|EXRULE|RDATE|EXDATE)[:;]/i.test(text.trim()) ? text.trim() : `RRULE:${text.trim()}`;

/** Google makes one meeting for each request id, however often it is sent. */
const toMeeting = (requestId: string) => ({
  createRequest: { requestId, conferenceSolutionKey: { type: "hangoutsMeet" } },
});

const toMoment = (pointer: string, text: string, timeZone: string | undefined) =>
  isDate(text) ? { date: text } : { dateTime: readTime(pointer, text, timeZone), timeZone };
