import { Refusal } from "../base/refusal.ts";
import type { Page } from "./pages.ts";
import type { Look, PollItem, PollPage } from "./poll.ts";
import { at, textAt } from "./read.ts";

/** What a service says of an item, with the time that it lists by. */
export type TimedItem = PollItem & { createdAt: string | undefined };

export type TimedPage = Page<TimedItem, string> & {
  /** The service lists no further, though there is more: the listing begins anew at the newest time. Only for pages that are oldest first. */
  isCut?: boolean;
};

type Listing = {
  /** For how long something new may be missing in the service's lists, or be listed with an earlier time. */
  overlapMs: number;
  /** Without a time: the newest first. With one: all since then, in any order. */
  readPage: (since: Date | null, cursor: string | undefined) => Promise<TimedPage>;
};

/**
 * A look at a service that can be asked for what was made since a time. Every look lists again what was made shortly before the newest item, because
 * services show things late; a listing of several pages keeps its beginning, so that no page is left out however many items have the same time.
 */
export async function listByTime(look: Pick<Look, "mark" | "now">, listing: Listing): Promise<PollPage> {
  if (look.mark !== null) return await listSince({ mark: look.mark, now: look.now }, listing);
  return beginPolling(look.now, await readNewest(listing));
}

/**
 * The first page. `floor` says where the next look begins at the earliest, where not all of the last minutes is listed: what nobody noted as seen must
 * not be taken for new.
 */
export function beginPolling(now: Date, { items, floor }: { items: TimedItem[]; floor?: Date | undefined }): PollPage {
  const newest = latestOf(items, now);
  // An empty list says nothing of the service's clock, which may differ from ours.
  const begin = floor ?? (newest === undefined ? new Date(now.getTime() - dayMs) : undefined);
  return { items: oldestFirst(items), mark: writeMark({ newest, floor: begin }), hasMore: false };
}

export async function listSince(
  { mark, now }: { mark: string; now: Date },
  { overlapMs, readPage }: Listing,
): Promise<PollPage> {
  const { newest: known, floor, since = sinceOf(known, floor, overlapMs), cursor } = readMark(mark);
  const page = await readOn((from) => readPage(since, from), cursor);
  const newest = laterOf(known, latestOf(page.items, now));
  const items = oldestFirst(page.items);
  if (page.isCut) {
    const reached = latestOf(page.items, now) ?? since;
    const next = reached > since ? reached : new Date(since.getTime() + 1);
    return { items, mark: writeMark({ newest, floor, since: next }), hasMore: true };
  }
  const hasMore = page.next !== undefined && page.next !== "" && page.next !== cursor;
  return { items, mark: writeMark(hasMore ? { newest, floor, since, cursor: page.next } : { newest, floor }), hasMore };
}

const dayMs = 86_400_000;
const mostFirstPages = 10;
/** Where a moment has more than that: as many, and as long, as a look has time for. */
const mostPagesOfMoment = 40;
const momentLimitMs = 10_000;

/**
 * As many pages as the next look will list again. Where that is too much, the next look begins at the last moment that there was room for, and all of
 * that moment is listed now: what is left out would be taken for new, and what is made at that very moment must be found.
 */
async function readNewest({ overlapMs, readPage }: Listing): Promise<{ items: TimedItem[]; floor?: Date | undefined }> {
  const items: TimedItem[] = [];
  const endsAt = performance.now() + momentLimitMs;
  let cursor: string | undefined;
  let floor: Date | undefined;
  for (let pages = 1; ; pages++) {
    const page = await readPage(null, cursor);
    items.push(...page.items);
    cursor = page.next;
    const times = timesOf(items);
    const [oldest, newest] = [Math.min(...times), Math.max(...times)];
    if (cursor === undefined || oldest < newest - overlapMs || times.length === 0) return { items };
    if (pages === mostFirstPages) floor = new Date(oldest);
    const isWhole = floor !== undefined && oldest < floor.getTime();
    if (isWhole || pages === mostPagesOfMoment || (floor && performance.now() > endsAt)) return { items, floor };
  }
}

/** Cursors end, at some services after minutes. Then the listing is made again from its beginning: what was seen by then starts nothing. */
async function readOn(
  read: (cursor: string | undefined) => Promise<TimedPage>,
  cursor: string | undefined,
): Promise<TimedPage> {
  try {
    return await read(cursor);
  } catch (error) {
    const isRefused = error instanceof Refusal && refusedCursor.has(error.provider?.status ?? 0);
    if (cursor === undefined || !isRefused) throw error;
    return await read(undefined);
  }
}

const refusedCursor = new Set([400, 404, 410, 422]);

const sinceOf = (newest: Date | undefined, floor: Date | undefined, overlapMs: number): Date =>
  laterOf(newest && new Date(newest.getTime() - overlapMs), floor) ?? new Date(0);

const laterOf = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one > other ? one : other) : (one ?? other);

/** No later than now: an item dated ahead, such as an imported one, must not hide all that come until then. */
function latestOf(items: TimedItem[], now: Date): Date | undefined {
  const times = timesOf(items);
  return times.length === 0 ? undefined : new Date(Math.min(Math.max(...times), now.getTime()));
}

const timesOf = (items: TimedItem[]): number[] => items.map(timeOf).filter((time) => !Number.isNaN(time));

const timeOf = ({ createdAt }: TimedItem): number => Date.parse(createdAt ?? "");

const oldestFirst = (items: TimedItem[]): PollItem[] =>
  items.toSorted((one, other) => (timeOf(one) || 0) - (timeOf(other) || 0)).map(({ id, payload }) => ({ id, payload }));

/** `since` and `cursor` are there while a listing goes on. */
type Mark = {
  newest: Date | undefined;
  floor: Date | undefined;
  since?: Date | undefined;
  cursor?: string | undefined;
};

const writeMark = (mark: Mark): string => JSON.stringify(mark);

function readMark(text: string): Mark {
  const mark: unknown = JSON.parse(text);
  const dateAt = (name: string) => (at(mark, name) === undefined ? undefined : new Date(textAt(mark, name) ?? ""));
  return { newest: dateAt("newest"), floor: dateAt("floor"), since: dateAt("since"), cursor: textAt(mark, "cursor") };
}
