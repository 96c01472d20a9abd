import { defineCredential } from "../../contract/credential.ts";
import { googleOrigins, googleVariants } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";
import { listCalendars } from "./list-calendars.ts";

export const googleCalendarCredential = defineCredential({
  type: "google_calendar",
  title: "Google Calendar",
  baseUrl: "https://www.googleapis.com",
  origins: googleOrigins,
  variants: googleVariants([
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
  ]),
  usualKind: "oauth2",
  readFault: readGoogleFault,
  check: async ({ http }) =>
    void (await http.json({ path: "/calendar/v3/calendars/primary/events", query: { maxResults: 1 } })),
  choices: { calendars: { load: ({ http }) => listCalendars(http) } },
});
