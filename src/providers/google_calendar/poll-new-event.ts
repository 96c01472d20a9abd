import { z } from "zod";
import { type Http, path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { definePoll, type PollItem, type PollPage } from "../../contract/poll.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { toEvent } from "./to-event.ts";

const mostOnPage = 250;
const mostAtFirst = 100;
const mostChanges = 5000;
const overlapMs = 60 * 60 * 1000;
const weekMs = 7 * 24 * 60 * 60 * 1000;

const parameters = z.strictObject({
  calendarId: z
    .string()
    .min(1)
    .default("primary")
    .meta({ title: "Calendar", choices: "calendars" })
    .describe("Calendar to look at: primary for that of the account, or an id, e.g. team@group.calendar.google.com."),
});

export const newEvent = definePoll({
  id: "new_event",
  title: "New event",
  description:
    "Starts a run for each event that somebody creates in a calendar. An event that repeats counts once. Changes start nothing, nor does an invitation to an event that was created more than an hour before.",
  parameters,
  // A look is one request. Google allows hundreds a minute for each user; the number is in the console of the project.
  everySeconds: { least: 30, usual: 180 },
  list: async ({ http }, { parameters: { calendarId }, mark, now }) =>
    mark === null
      ? await listNewest(http, calendarId, now)
      : await listSince(http, calendarId, { ...readMark(mark), now }),
  promptOf: (event) => known([textAt(event, "summary"), textAt(event, "description")]).join("\n\n") || undefined,
  senderOf: (event) => ({ id: textAt(event, "creator"), name: undefined }),
});

/** Google sorts by the last change, with the newest at the end: what was created lately is among what was changed lately. */
async function listNewest(http: Http, calendarId: string, now: Date): Promise<PollPage> {
  const changed = await collectPages<unknown, string>(mostChanges + 1, async (pageToken) => {
    const answer = await listPage(http, calendarId, { updatedMin: now.getTime() - weekMs, pageToken });
    return { items: listAt(answer, "items"), next: textAt(answer, "nextPageToken") };
  });
  if (changed.length > mostChanges)
    throw refuseInput(
      "/calendarId",
      `must be another calendar: this one had more than ${mostChanges.toLocaleString("en")} changes within a week, of which a look can list no more`,
    );
  const events = changed.filter(isEvent).sort((one, other) => createdOf(one) - createdOf(other));
  const newest = events.slice(-mostAtFirst);
  // What is older than these was not noted, so the next look must not reach back to it.
  const notBefore = newest.length < events.length ? createdOf(newest[0]) + 1000 : 0;
  const since = Math.max(now.getTime() - overlapMs, notBefore);
  return { items: newest.flatMap(toPollItem), mark: toMark({ since, from: since }), hasMore: false };
}

/** From when on events must have been created, and from when on they must have been changed to be on the next page. */
type Place = { since: number; from: number };

async function listSince(
  http: Http,
  calendarId: string,
  { since, from, now }: Place & { now: Date },
): Promise<PollPage> {
  const begin = { since: now.getTime() - overlapMs, from: now.getTime() - overlapMs };
  const changed = await listChanged(http, calendarId, from);
  if (changed === undefined) {
    const isLost = from >= now.getTime() - weekMs;
    // Google forgets what changed long ago. Where nobody looked for weeks, the last one has to do.
    return { items: [], mark: toMark(isLost ? begin : { since, from: now.getTime() - weekMs }), hasMore: !isLost };
  }
  const items = changed.events.filter((event) => isEvent(event) && createdOf(event) >= since).flatMap(toPollItem);
  if (changed.hasMore) return { items, mark: toMark({ since, from: changed.last }), hasMore: true };
  const next = Math.max(since, begin.since);
  return { items, mark: toMark({ since: next, from: next }), hasMore: false };
}

/** Undefined where Google no longer knows what changed since then. The page ends where the time of the last change has moved on. */
async function listChanged(http: Http, calendarId: string, from: number) {
  const events: unknown[] = [];
  for (let pageToken: string | undefined; ; ) {
    // A second more, because whether the bound counts in is not said.
    const answer = await listPage(http, calendarId, { updatedMin: from - 1000, pageToken });
    if (at(answer, "error") !== undefined) return undefined;
    events.push(...listAt(answer, "items"));
    pageToken = textAt(answer, "nextPageToken");
    const last = Date.parse(textAt(events.at(-1), "updated") ?? "");
    if (pageToken === undefined) return { events, last, hasMore: false };
    if (last > from) return { events, last, hasMore: true };
  }
}

type Wanted = { updatedMin: number; pageToken: string | undefined };

async function listPage(http: Http, calendarId: string, { updatedMin, pageToken }: Wanted): Promise<unknown> {
  const query = {
    updatedMin: new Date(updatedMin).toISOString(),
    orderBy: "updated",
    maxResults: mostOnPage,
    pageToken,
  };
  return await http.json({ path: path`/calendar/v3/calendars/${calendarId}/events`, query, alsoAccept: [410] });
}

/** Deleted events are listed as cancelled, and single dates of a series that were changed as events of their own. */
const isEvent = (event: unknown): boolean =>
  textAt(event, "status") !== "cancelled" && textAt(event, "recurringEventId") === undefined;

const createdOf = (event: unknown): number => Date.parse(textAt(event, "created") ?? "") || 0;

function toPollItem(event: unknown): PollItem[] {
  const id = textAt(event, "id");
  if (id === undefined) return [];
  return [
    {
      id,
      payload: { ...toEvent(event), created: textAt(event, "created"), creator: textAt(event, "creator", "email") },
    },
  ];
}

const toMark = ({ since, from }: Place): string => `${new Date(since).toISOString()} ${new Date(from).toISOString()}`;

function readMark(mark: string): Place {
  const [since = "", from = ""] = mark.split(" ");
  return { since: Date.parse(since), from: Date.parse(from) };
}
