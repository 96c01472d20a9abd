import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { googleCalendarCredential } from "./credential.ts";

const alreadyDeleted = 410;

export const action = defineAction({
  id: "google_calendar_delete_event",
  title: "Delete event",
  description: "Delete a calendar event.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
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
    eventId: z.string().min(1).describe("Id of the event; google_calendar_list_events finds it."),
    sendUpdates: z.enum(["all", "externalOnly", "none"]).default("none").describe("Who gets a mail about it."),
  }),
  output: z.object({
    deleted: z.boolean().describe("True when the event is gone."),
    eventId: z.string().describe("Id of the event."),
  }),
  async run({ input: { calendarId, eventId, sendUpdates }, http }) {
    const place = path`/calendar/v3/calendars/${calendarId}/events/${eventId}`;
    await http.text({ method: "DELETE", path: place, query: { sendUpdates }, alsoAccept: [alreadyDeleted] });
    return [{ deleted: true, eventId }];
  },
});
