import { defineProvider } from "../../contract/provider.ts";
import { googleCalendarCredential } from "./credential.ts";
import { newEvent } from "./poll-new-event.ts";

export const provider = defineProvider({
  id: "google_calendar",
  title: "Google Calendar",
  description: "List, create and delete calendar events.",
  synonyms: ["events", "appointments", "meetings", "schedule"],
  credential: googleCalendarCredential,
  polls: [newEvent],
});
