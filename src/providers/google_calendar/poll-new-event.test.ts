import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookWith } from "../../../test/support/browser/look-with.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { googleCalendarCredential } from "./credential.ts";
import { newEvent } from "./poll-new-event.ts";

const now = new Date("2026-11-17T12:00:00Z");
const at = (time: string) => `2026-11-17T${time}.000Z`;
const markOf = (since: string, from = since) => `${at(since)} ${at(from)}`;

let provider: FakeProvider;
const calendar = lookWith(newEvent, {
  definition: googleCalendarCredential,
  credential: () => ({ accessToken: "ya29.secret", baseUrl: provider.url }),
  now,
});

beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.stop());

const event = (id: string, created: string, more: Record<string, unknown> = {}) => ({
  kind: "calendar#event",
  id,
  status: "confirmed",
  summary: `Event ${id}`,
  created: at(created),
  updated: at(created),
  creator: { email: "ann@example.com" },
  start: { date: "2026-12-01" },
  end: { date: "2026-12-02" },
  ...more,
});
const listed = (items: unknown[], nextPageToken?: string) => ({
  json: { kind: "calendar#events", items, nextPageToken },
});
const gone = {
  status: 410,
  json: {
    error: {
      code: 410,
      message: "The requested minimum modification time lies too far in the past.",
      errors: [{ reason: "updatedMinTooLongAgo" }],
    },
  },
};
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
const asked = () =>
  provider.requests().map(({ path }) => {
    const url = new URL(path, "https://calendar.test");
    return { place: decodeURIComponent(url.pathname), ...Object.fromEntries(url.searchParams) } as Record<
      string,
      string
    >;
  });

describe("the first look", () => {
  it("says so where more was changed within a week than it can list, instead of missing the newest", async () => {
    const busy = Array.from({ length: 250 }, (_, index) => event(`e${index}`, "08:00:00"));
    provider.script([
      ...Array.from({ length: 20 }, (_, page) => listed(busy, `p${page}`)),
      listed([event("newest", "11:00:00")]),
    ]);
    await expect(calendar.list(null)).rejects.toThrow(/calendarId .*more than 5,000 changes within a week/);
    provider.script([
      ...Array.from({ length: 19 }, (_, page) => listed(busy, `p${page}`)),
      listed([event("newest", "11:00:00")]),
    ]);
    expect(idsOf(await calendar.list(null)).at(-1)).toBe("newest");
  });

  it("gives the events that were created last, oldest first, and goes on an hour before now", async () => {
    const old = event("old", "01:00:00", { created: "2025-01-01T00:00:00.000Z", updated: at("11:59:00") });
    provider.script([listed([event("a", "08:00:00")], "p2"), listed([event("b", "11:30:00"), old])]);
    const page = await calendar.list(null);
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["old", "a", "b"], markOf("11:00:00"), false]);
    expect(page.items[1]?.payload).toEqual({
      id: "a",
      summary: "Event a",
      start: "2026-12-01",
      end: "2026-12-02",
      attendees: [],
      status: "confirmed",
      created: at("08:00:00"),
      creator: "ann@example.com",
    });
    expect(asked()).toEqual([
      {
        place: "/calendar/v3/calendars/primary/events",
        updatedMin: "2026-11-10T12:00:00.000Z",
        orderBy: "updated",
        maxResults: "250",
      },
      expect.objectContaining({ pageToken: "p2" }),
    ]);
  });

  it("does not let the next look reach back to events it did not note", async () => {
    const many = Array.from({ length: 101 }, (_, index) =>
      event(`e${index}`, `11:${index < 60 ? "20" : "30"}:${String(index % 60).padStart(2, "0")}`),
    );
    provider.script([listed(many)]);
    const page = await calendar.list(null);
    expect([page.items.length, page.mark]).toEqual([100, markOf("11:20:02")]);
  });
});

describe("a later look", () => {
  it("takes what was created since the last one, and neither changes, deletions nor single dates of a series", async () => {
    provider.script([
      listed([
        event("new", "11:30:00"),
        event("changed", "09:00:00", { updated: at("11:31:00") }),
        { id: "deleted", status: "cancelled", created: at("11:32:00"), updated: at("11:33:00") },
        event("series", "11:34:00", { recurrence: ["RRULE:FREQ=WEEKLY"] }),
        event("series_20261201", "11:34:00", { recurringEventId: "series", updated: at("11:35:00") }),
      ]),
    ]);
    const page = await calendar.list(markOf("10:30:00"), {
      parameters: { calendarId: "team@group.calendar.google.com" },
    });
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["new", "series"], markOf("11:00:00"), false]);
    expect(asked()[0]).toMatchObject({
      place: "/calendar/v3/calendars/team@group.calendar.google.com/events",
      updatedMin: at("10:29:59"),
      orderBy: "updated",
    });
  });

  it("never sets the mark back", async () => {
    provider.script([listed([])]);
    expect((await calendar.list(markOf("11:20:02"))).mark).toBe(markOf("11:20:02"));
  });

  it("goes on where a full page ends, and takes there what was created before that and changed after", async () => {
    provider.script([listed([event("a", "10:01:00"), event("b", "10:05:00")], "more")]);
    const page = await calendar.list(markOf("10:00:00"));
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["a", "b"], markOf("10:00:00", "10:05:00"), true]);
    provider.script([listed([event("b", "10:05:00"), event("c", "10:02:00", { updated: at("10:30:00") })])]);
    const next = await calendar.list(page.mark);
    expect([idsOf(next), next.mark, next.hasMore]).toEqual([["b", "c"], markOf("11:00:00"), false]);
    expect(asked()[0]?.updatedMin).toBe(at("10:04:59"));
  });

  it("takes all events that were changed in one moment, however many there are", async () => {
    const moment = { updated: at("10:00:00") };
    provider.script([
      listed([event("a", "10:00:00", moment)], "p2"),
      listed([event("b", "10:00:00", moment)], "p3"),
      listed([event("c", "10:01:00")], "p4"),
    ]);
    const page = await calendar.list(markOf("10:00:00"));
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["a", "b", "c"], markOf("10:00:00", "10:01:00"), true]);
    expect(asked().map(({ pageToken }) => pageToken)).toEqual([undefined, "p2", "p3"]);
  });

  it("takes the last week where Google no longer knows all changes, and begins anew where it knows not even those", async () => {
    provider.script([gone]);
    const long = "2026-01-01T00:00:00.000Z";
    const page = await calendar.list(`${long} ${long}`);
    expect(page).toEqual({ items: [], mark: `${long} 2026-11-10T12:00:00.000Z`, hasMore: true });
    provider.script([listed([event("a", "08:00:00")])]);
    expect(await calendar.list(page.mark)).toMatchObject({
      items: [{ id: "a" }],
      mark: markOf("11:00:00"),
      hasMore: false,
    });
    provider.script([gone]);
    expect(await calendar.list(page.mark)).toEqual({ items: [], mark: markOf("11:00:00"), hasMore: false });
  });
});

it("tells of an event by its title, its text and who created it", () => {
  const payload = { summary: "Fair", description: "All day", creator: "ann@example.com" };
  expect(newEvent.promptOf(payload)).toBe("Fair\n\nAll day");
  expect(newEvent.senderOf?.(payload)).toEqual({ id: "ann@example.com", name: undefined });
  expect(newEvent.promptOf({})).toBeUndefined();
});

it("tells what Google refused", async () => {
  provider.script([
    { status: 404, json: { error: { code: 404, message: "Not Found", errors: [{ reason: "notFound" }] } } },
  ]);
  await expect(calendar.list(null)).rejects.toThrow("Google Calendar refused the call (404 notFound): Not Found");
});

it("offers the calendars of the account", async () => {
  let choices: unknown;
  const items = [
    { id: "ann@example.com", summary: "ann@example.com", primary: true },
    { id: "t@group", summary: "Team", summaryOverride: "Ours" },
    {},
  ];
  const requests = await useCredential(
    googleCalendarCredential,
    { accessToken: "ya29.secret" },
    [listed(items)],
    async (call) => {
      choices = await googleCalendarCredential.choices.calendars?.load({ ...call, given: {}, search: "", most: 100 });
    },
  );
  expect(requests).toMatchObject([{ path: "/calendar/v3/users/me/calendarList?maxResults=250" }]);
  expect(choices).toEqual([
    { value: "ann@example.com", title: "ann@example.com" },
    { value: "t@group", title: "Ours" },
  ]);
});
