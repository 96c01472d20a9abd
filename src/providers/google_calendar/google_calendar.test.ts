import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import type { Action } from "../../contract/action.ts";
import { action as createEvent } from "./create_event.ts";
import { googleCalendarCredential } from "./credential.ts";
import { action as deleteEvent } from "./delete_event.ts";
import { action as listEvents } from "./list_events.ts";

const credential = { accessToken: "ya29.secret" };
const headers = { authorization: "Bearer ya29.secret" };
const failure = {
  answer: {
    status: 404,
    json: {
      error: {
        code: 404,
        message: "Not Found",
        errors: [{ domain: "global", reason: "notFound", message: "Not Found" }],
      },
    },
  },
  says: /Google Calendar refused the call \(404 notFound\): Not Found/,
};
const event = (id: string) => ({
  id,
  summary: `Event ${id}`,
  start: { dateTime: "2026-01-01T10:00:00Z" },
  end: { dateTime: "2026-01-01T11:00:00Z" },
});
const found = (id: string) => ({
  id,
  summary: `Event ${id}`,
  start: "2026-01-01T10:00:00Z",
  end: "2026-01-01T11:00:00Z",
  attendees: [],
});

describeHttpTool(listEvents, {
  credential,
  failure,
  now: new Date("2026-01-01T00:00:00Z"),
  cases: [
    {
      name: "lists events of the primary calendar",
      input: {},
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00.000Z&singleEvents=true&orderBy=startTime&maxResults=20",
            headers,
          },
          answer: {
            json: {
              items: [
                {
                  id: "e1",
                  summary: "Fair",
                  description: "All day",
                  location: "Köln",
                  start: { date: "2026-01-01" },
                  end: { date: "2026-01-02" },
                  attendees: [{ email: "ann@example.com" }, { displayName: "Room" }],
                  status: "confirmed",
                  htmlLink: "https://calendar.google.com/e1",
                  hangoutLink: "https://meet.google.com/abc-defg-hij",
                  recurringEventId: "series",
                },
              ],
            },
          },
        },
      ],
      items: [
        {
          id: "e1",
          summary: "Fair",
          description: "All day",
          location: "Köln",
          start: "2026-01-01",
          end: "2026-01-02",
          attendees: ["ann@example.com"],
          status: "confirmed",
          url: "https://calendar.google.com/e1",
          meetUrl: "https://meet.google.com/abc-defg-hij",
          recurringEventId: "series",
        },
      ],
    },
    {
      name: "lists what has passed where the end has, in a time zone",
      input: { timeMax: "2025-12-01T00:00:00Z", timeZone: "Europe/Berlin" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/primary/events?timeMax=2025-12-01T00:00:00Z&timeZone=Europe/Berlin&singleEvents=true&orderBy=startTime&maxResults=20",
          },
          answer: { json: { items: [event("e1")] } },
        },
      ],
      items: [found("e1")],
    },
    {
      name: "follows pages until the limit, in a calendar with a strange id",
      input: {
        calendarId: "a/b#c?@group.calendar.google.com",
        timeMin: "2026-01-01T00:00:00+01:00",
        timeMax: "2026-02-01T00:00:00Z",
        query: "ü & x",
        limit: 3,
      },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/a/b#c?@group.calendar.google.com/events?timeMin=2026-01-01T00:00:00+01:00&timeMax=2026-02-01T00:00:00Z&q=ü & x&singleEvents=true&orderBy=startTime&maxResults=3",
          },
          answer: { json: { items: [event("1"), event("2")], nextPageToken: "p2" } },
        },
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/a/b#c?@group.calendar.google.com/events?timeMin=2026-01-01T00:00:00+01:00&timeMax=2026-02-01T00:00:00Z&q=ü & x&singleEvents=true&orderBy=startTime&maxResults=1&pageToken=p2",
          },
          answer: { json: { items: [event("3"), event("4")], nextPageToken: "p3" } },
        },
      ],
      items: [found("1"), found("2"), found("3")],
    },
    {
      name: "ends with the last page, also when a page is empty",
      input: { limit: 250 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00.000Z&singleEvents=true&orderBy=startTime&maxResults=250",
          },
          answer: { json: { items: [], nextPageToken: "p2" } },
        },
        {
          request: {
            method: "GET",
            path: "/calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00.000Z&singleEvents=true&orderBy=startTime&maxResults=250&pageToken=p2",
          },
          answer: { json: { items: [event("1")] } },
        },
      ],
      items: [found("1")],
    },
  ],
});

describeHttpTool(createEvent, {
  credential,
  failure,
  cases: [
    {
      name: "creates an event",
      input: { summary: "Lunch", start: "2026-01-01T10:00:00Z", end: "2026-01-01T11:00:00Z" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/calendar/v3/calendars/primary/events?sendUpdates=none",
            headers,
            json: {
              summary: "Lunch",
              start: { dateTime: "2026-01-01T10:00:00Z" },
              end: { dateTime: "2026-01-01T11:00:00Z" },
            },
          },
          answer: { json: { ...event("e1"), status: "confirmed", htmlLink: "https://calendar.google.com/e1" } },
        },
      ],
      items: [
        {
          id: "e1",
          url: "https://calendar.google.com/e1",
          start: "2026-01-01T10:00:00Z",
          end: "2026-01-01T11:00:00Z",
          status: "confirmed",
        },
      ],
    },
    {
      name: "sends everything that is given",
      input: {
        calendarId: "team/ü",
        summary: 'A "quoted"\ntitle',
        start: "2026-01-01T10:00:00",
        end: "2026-01-01T11:00:00",
        timeZone: "Europe/Berlin",
        description: "<b>d</b>",
        location: "Köln",
        attendees: ["ann@example.com", "bob@example.com"],
        sendUpdates: "externalOnly",
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/calendar/v3/calendars/team/ü/events?sendUpdates=externalOnly",
            json: {
              summary: 'A "quoted"\ntitle',
              start: { dateTime: "2026-01-01T10:00:00+01:00", timeZone: "Europe/Berlin" },
              end: { dateTime: "2026-01-01T11:00:00+01:00", timeZone: "Europe/Berlin" },
              description: "<b>d</b>",
              location: "Köln",
              attendees: [{ email: "ann@example.com" }, { email: "bob@example.com" }],
            },
          },
          answer: { json: { id: "e2" } },
        },
      ],
      items: [{ id: "e2" }],
    },
    {
      name: "creates an event that repeats, with a meeting",
      input: {
        summary: "Stand-up",
        start: "2026-01-05T09:00:00",
        end: "2026-01-05T09:15:00",
        timeZone: "Europe/Berlin",
        recurrence: ["FREQ=WEEKLY;BYDAY=MO", "EXDATE;VALUE=DATE:20260302"],
        addMeet: true,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/calendar/v3/calendars/primary/events?sendUpdates=none&conferenceDataVersion=1",
            json: {
              summary: "Stand-up",
              start: { dateTime: "2026-01-05T09:00:00+01:00", timeZone: "Europe/Berlin" },
              end: { dateTime: "2026-01-05T09:15:00+01:00", timeZone: "Europe/Berlin" },
              recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=MO", "EXDATE;VALUE=DATE:20260302"],
              conferenceData: {
                createRequest: { requestId: expect.any(String), conferenceSolutionKey: { type: "hangoutsMeet" } },
              },
            },
          },
          answer: { json: { id: "e3", hangoutLink: "https://meet.google.com/abc-defg-hij" } },
        },
      ],
      items: [{ id: "e3", meetUrl: "https://meet.google.com/abc-defg-hij" }],
    },
    {
      name: "creates an all-day event from dates",
      input: { summary: "Fair", start: "2026-01-01", end: "2026-01-03", timeZone: "Europe/Berlin" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/calendar/v3/calendars/primary/events?sendUpdates=none",
            json: { summary: "Fair", start: { date: "2026-01-01" }, end: { date: "2026-01-03" } },
          },
          answer: { json: { id: "e3", start: { date: "2026-01-01" }, end: { date: "2026-01-03" } } },
        },
      ],
      items: [{ id: "e3", start: "2026-01-01", end: "2026-01-03" }],
    },
  ],
});

describeHttpTool(deleteEvent, {
  credential,
  failure,
  cases: [
    {
      name: "deletes an event",
      input: { eventId: "e1" },
      exchanges: [
        {
          request: { method: "DELETE", path: "/calendar/v3/calendars/primary/events/e1?sendUpdates=none", headers },
          answer: { status: 204 },
        },
      ],
      items: [{ deleted: true, eventId: "e1" }],
    },
    {
      name: "counts an event that is gone as deleted",
      input: { calendarId: "c/d", eventId: "e?1#/ü", sendUpdates: "all" },
      exchanges: [
        {
          request: { method: "DELETE", path: "/calendar/v3/calendars/c/d/events/e?1#/ü?sendUpdates=all" },
          answer: {
            status: 410,
            json: { error: { code: 410, message: "Resource has been deleted", errors: [{ reason: "deleted" }] } },
          },
        },
      ],
      items: [{ deleted: true, eventId: "e?1#/ü" }],
    },
  ],
});

it.each([
  [{ start: "tomorrow" }, "/start"],
  [{ start: "2026-02-30" }, "/start"],
  [{ start: "+012026-01-01" }, "/start"],
  [{ end: "2026-01-01T10:00:00" }, "/end"],
  [{ end: "2026-01-01T10:00:00", timeZone: "Mars/Crater" }, "/timeZone"],
])("refuses an event with %j", async (input, pointer) => {
  const times = { start: "2026-01-01T10:00:00Z", end: "2026-01-01T11:00:00Z" };
  const outcome = callTool(createEvent, { input: { summary: "x", ...times, ...input }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

it.each([
  [{ timeMin: "2026-01-01" }, "/timeMin"],
  [{ timeMax: "next week" }, "/timeMax"],
])("refuses a window with %j", async (input, pointer) => {
  await expect(callTool(listEvents, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer }],
  });
});

describe("Google Calendar", () => {
  let provider: FakeProvider;
  const at = () => ({ ...credential, baseUrl: provider.url });

  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  it("waits and repeats when the rate limit comes as 403", async () => {
    const waits: number[] = [];
    provider.script([
      { status: 403, json: { error: { code: 403, errors: [{ reason: "rateLimitExceeded" }] } } },
      { status: 204 },
    ]);
    expect(await callTool(deleteEvent, { input: { eventId: "e1" }, credential: at(), waits })).toEqual([
      { deleted: true, eventId: "e1" },
    ]);
    expect(waits).toHaveLength(1);
  });

  it("checks the credential with one event of the primary calendar", async () => {
    const run: Action["run"] = async (call) => {
      await googleCalendarCredential.check?.(call);
      return [];
    };
    const check = { ...listEvents, run };
    provider.script([{ json: { items: [] } }]);
    expect(await callTool(check, { input: {}, credential: at() })).toEqual([]);
    expect(provider.requests()).toMatchObject([
      { method: "GET", path: "/calendar/v3/calendars/primary/events?maxResults=1", headers },
    ]);
    provider.script([failure.answer]);
    await expect(callTool(check, { input: {}, credential: at() })).rejects.toThrow("404 notFound");
  });
});

it("asks for the time zone of an event that repeats before Google does", async () => {
  const input = {
    summary: "x",
    start: "2026-01-05T09:00:00Z",
    end: "2026-01-05T09:15:00Z",
    recurrence: ["FREQ=DAILY"],
  };
  await expect(callTool(createEvent, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/timeZone" }],
  });
});
