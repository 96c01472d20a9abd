import { Refusal } from "../base/refusal.ts";
import { createTurns } from "../base/take-turns.ts";
import { lowestIdAt, timeOfId } from "../records/time-of-id.ts";
import type { Database } from "../storage/database.ts";
import {
  type CallRow,
  type CallSelection,
  countCalls,
  type EntryRow,
  findCalls,
  findWholeCall,
  type HistoryDb,
  historyTables,
  listCalls,
  listWholeCalls,
  searchCalls,
} from "./list-store.ts";
import type { ToolCall, ToolCallEntry, ToolCallFilter, ToolCallList, ToolCallQuery } from "./wire.ts";

/** How many calls one page of a text search looks through, and one step of a search through all. */
const searchedPerPage = 2000;
/** How many a search through all looks at; the platform tool says so. */
const searchedAtMost = 100_000;
/** Few, because each may hold more than a megabyte. */
const exportedPerPage = 25;

type CallPage = { search?: string | undefined; cursor?: string | undefined; offset: number; limit: number };

/** What happened in an organization, newest first. */
export function createCallList({ db }: { db: Database }) {
  const tables = historyTables(db);
  // One search of an organization at a time in a process, with a rest twice as long: a dozen of them would leave no core of the database to others.
  const inTurn = createTurns({ rest: 2 });
  const searchFor =
    (text: string): Search =>
    (selection) =>
      inTurn(selection.organizationId.toLowerCase(), () =>
        searchCalls(tables, selection, { text, limit: searchedPerPage }),
      );

  return {
    async list(organizationId: string, { limit, cursor, search, ...filter }: ToolCallQuery): Promise<ToolCallList> {
      const selection = select(organizationId, filter, cursor);
      if (search !== undefined) return await searchPage(tables, { search: searchFor(search), selection, limit });
      const rows = await listCalls(tables, selection, limit + 1);
      const page = rows.slice(0, limit);
      return {
        data: page.map(toEntry),
        nextCursor: rows.length > limit ? toCursor(page.at(-1)?.id) : null,
        searchedBackTo: null,
      };
    },

    /** By position or after a cursor, with the number of all. */
    async page(organizationId: string, { search, cursor: beforeId, offset, limit }: CallPage) {
      if (search === undefined) {
        const [total, rows] = await Promise.all([
          countCalls(tables, organizationId),
          listCalls(tables, { organizationId, beforeId }, limit + 1, offset),
        ]);
        return { total, nextCursor: idAfter(rows, limit), entries: rows.slice(0, limit).map(toEntry) };
      }
      const found = await searchNewest(searchFor(search), organizationId);
      const rest = found.filter((id) => beforeId === undefined || id < beforeId).slice(offset);
      const ids = rest.slice(0, limit);
      const rows = ids.length === 0 ? [] : await findCalls(tables, organizationId, ids);
      const nextCursor = rest.length > limit ? (ids.at(-1) ?? null) : null;
      return { total: found.length, nextCursor, entries: rows.map(toEntry).sort(newestFirst) };
    },

    async get(organizationId: string, id: string): Promise<ToolCall> {
      const row = await findWholeCall(tables, organizationId, id);
      if (!row) throw new Refusal("not_found", "There is no such record.");
      return toCall(row);
    },

    /** One JSON text per record and line. A page is read when the one before has been taken. */
    async *exportLines(organizationId: string, { search, ...filter }: ToolCallFilter): AsyncGenerator<string> {
      const matches = createTextMatch(search);
      const selection = select(organizationId, filter, undefined);
      for (;;) {
        const rows = await listWholeCalls(tables, selection, exportedPerPage);
        const lines = rows.filter(matches).map((row) => `${JSON.stringify(toCall(row))}\n`);
        if (lines.length > 0) yield lines.join("");
        if (rows.length < exportedPerPage) return;
        selection.beforeId = rows.at(-1)?.id;
      }
    },
  };
}

/** Looks through the next calls of a selection. */
type Search = (selection: CallSelection) => ReturnType<typeof searchCalls>;

type PageOfSearch = { search: Search; selection: CallSelection; limit: number };

async function searchPage(tables: HistoryDb, { search, selection, limit }: PageOfSearch): Promise<ToolCallList> {
  const seen = await search(selection);
  const found = seen.filter((row) => row.found).map(({ id }) => id);
  const ids = found.slice(0, limit);
  const rows = ids.length === 0 ? [] : await findCalls(tables, selection.organizationId, ids);
  const last = found.length > limit ? ids.at(-1) : seen.at(-1)?.id;
  const hasMore = found.length > limit || seen.length === searchedPerPage;
  const data = rows.map(toEntry).sort(newestFirst);
  return {
    data,
    nextCursor: hasMore ? toCursor(last) : null,
    searchedBackTo: last === undefined ? null : timeOfId(last).toISOString(),
  };
}

/**
 * The ids of the newest calls that hold the text, newest first. In steps, so that no statement lasts long, and not
 * through any number of them, so that searches leave something of the database to others.
 */
async function searchNewest(search: Search, organizationId: string): Promise<string[]> {
  const selection: CallSelection = { organizationId };
  const found: string[] = [];
  for (let looked = 0; looked < searchedAtMost; looked += searchedPerPage) {
    const seen = await search(selection);
    found.push(...seen.filter((row) => row.found).map(({ id }) => id));
    if (seen.length < searchedPerPage) break;
    selection.beforeId = seen.at(-1)?.id;
  }
  return found;
}

/** For whoever asked for one more than fits on a page. */
const idAfter = (rows: { id: string }[], limit: number): string | null =>
  rows.length > limit ? (rows[limit - 1]?.id ?? null) : null;

const newestFirst = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? 1 : -1);

/** The same fields that a search of the list looks at. */
function createTextMatch(search: string | undefined): (row: CallRow) => boolean {
  if (search === undefined) return () => true;
  const text = search.toLowerCase();
  return ({ tool, errorMessage, parameters }) =>
    [tool, errorMessage ?? "", parameters].some((field) => field.toLowerCase().includes(text));
}

function select(
  organizationId: string,
  { from, to, ...filter }: Omit<ToolCallFilter, "search">,
  cursor: string | undefined,
): CallSelection {
  const bounds = [
    cursor === undefined ? undefined : fromCursor(cursor),
    to === undefined ? undefined : lowestIdAt(new Date(to)),
  ];
  return {
    organizationId,
    ...filter,
    fromId: from === undefined ? undefined : lowestIdAt(new Date(from)),
    beforeId: bounds.filter((bound) => bound !== undefined).sort()[0],
  };
}

const toCursor = (id: string | undefined): string | null =>
  id === undefined ? null : Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");

function fromCursor(cursor: string): string {
  const digits = Buffer.from(cursor, "base64url").toString("hex");
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  if (id.length === 36 && toCursor(id) === cursor) return id;
  throw new Refusal("validation_failed", "cursor is not one of this list.", {
    errors: [{ pointer: "cursor", detail: "is not one of this list" }],
  });
}

export function toEntry({
  errorCode,
  errorMessage,
  queuedAt,
  startedAt,
  completedAt,
  ...row
}: EntryRow): ToolCallEntry {
  return {
    ...row,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" },
    queuedAt: queuedAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
  };
}

function toCall({ parameters, credentials, outputs, ...row }: CallRow): ToolCall {
  const read = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return { ...toEntry(row), parameters: read(parameters), credentials: read(credentials), outputs: read(outputs) };
}
