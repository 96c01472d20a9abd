import { Refusal } from "../../base/refusal.ts";
import { createTurns } from "../../base/take-turns.ts";
import { type TableOf, wholeTable } from "../../records/table-of.ts";
import { lowestIdAt, timeOfId } from "../../records/time-of-id.ts";
import type { Database } from "../../storage/database.ts";
import type { Canvas, LastRun } from "../../workflows/wire.ts";
import { findNodesOfRuns, findWholeRuns, keyOf } from "../control/waiting-store.ts";
import { findOwnCanvas } from "../editor/editor-store.ts";
import { createFindRunGraph } from "../editor/find-run-graph.ts";
import type { RunPlace } from "../store.ts";
import { type NodeRow, onPool } from "../walk/checkpoint-store.ts";
import type { FindGraph } from "../walk/find-graph.ts";
import type { Graph } from "../walk/graph.ts";
import type { Run, RunQuery, RunsPage } from "../wire.ts";
import { toEntry, toLastRun, toRun } from "./describe-run.ts";
import {
  countRuns,
  findExampleRun,
  findLastRuns,
  findRuns,
  listRuns,
  needsSearch,
  type RunNodeRow,
  type RunSelection,
  type RunsDb,
  runTables,
  searchRuns,
  type WholeRunRow,
} from "./list-store.ts";
import { createReadRun } from "./read-run.ts";

export type RunList = ReturnType<typeof createRunList>;

/** How many runs one page looks through for what no index finds, and one step of a search through all. */
const searchedPerPage = 2000;
/** How many a search through all looks at; the platform tool says so. */
const searchedAtMost = 100_000;

/** `nodes`: all that is stored of them, where it is known already. */
type KnownRun = RunPlace & { nodes?: NodeRow[] | undefined };

type RunPage = { search?: string | undefined; cursor?: string | undefined; offset: number; limit: number };

type Options = { db: Database; hot?: Database; tableOf?: TableOf; findGraph: FindGraph };

/** The runs of an organization, newest first. */
export function createRunList({ db, hot = db, tableOf = wholeTable, findGraph }: Options) {
  const tables = runTables(db);
  // One search of an organization at a time in a process, with a rest twice as long: a dozen of them would leave no core of the database to others.
  const inTurn = createTurns({ rest: 2 });
  const search: Search = (selection) =>
    inTurn(selection.organizationId.toLowerCase(), () => searchRuns(tables, selection, searchedPerPage));

  const graphOfRun = createFindRunGraph({ db, findGraph });
  const graphOf = (organizationId: string, row: WholeRunRow): Promise<Graph> =>
    graphOfRun({ organizationId, ...row }).catch(emptyWhenGone);

  const reading = createReadRun({ tables, graphOf });

  return {
    ...reading,

    async get(organizationId: string, id: string): Promise<Run> {
      const { row, nodes, graph } = await reading.read(organizationId, id);
      const canvas = row.workflowVersion > 0 ? null : await findOwnCanvas(db, { organizationId, id });
      return toRun(row, nodes, graph, canvas === null ? null : (JSON.parse(canvas) as Canvas));
    },

    /** Many of them with one question; undefined for what there is not, and for what is read alone: large runs, and those of the editor. */
    async getTogether(places: KnownRun[]): Promise<(Run | undefined)[]> {
      const unknown = places.filter(({ nodes }) => nodes === undefined);
      const [found, theirs] = await Promise.all([
        findWholeRuns(onPool(hot), places, tableOf),
        unknown.length > 0 ? findNodesOfRuns(onPool(hot), unknown) : [],
      ]);
      const rows = new Map(found.map((row) => [keyOf(row), row]));
      const stored = Map.groupBy(theirs, keyOf);
      return await Promise.all(
        places.map(async ({ nodes, ...place }) => {
          const row = rows.get(keyOf(place));
          const own = nodes?.map(toStored) ?? stored.get(keyOf(place)) ?? [];
          return row && row.workflowVersion > 0 && !own.some(({ isLeftOut }) => isLeftOut)
            ? toRun(row, own, await graphOf(place.organizationId, row))
            : undefined;
        }),
      );
    },

    async list(organizationId: string, { limit, cursor, ...filter }: RunQuery): Promise<RunsPage> {
      const selection = select(organizationId, filter, cursor);
      if (needsSearch(selection)) return await searchPage(tables, { search, selection, limit });
      const rows = await listRuns(tables, selection, { limit: limit + 1 });
      return { data: rows.slice(0, limit).map(toEntry), nextCursor: cursorAfter(rows, limit), searchedBackTo: null };
    },

    /** The id of the run that shows best what data a workflow deals with. */
    findExample: (organizationId: string, workflowId: string): Promise<string | undefined> =>
      findExampleRun(tables, organizationId, workflowId),

    /** By workflow; one that never ran is missing. */
    async lastOf(organizationId: string, workflowIds: string[]): Promise<Map<string, LastRun>> {
      const rows = await findLastRuns(tables, organizationId, workflowIds);
      return new Map(rows.map((row) => [row.workflowId, toLastRun(row)]));
    },

    /** By position or after a cursor, with the number of all. */
    async page(organizationId: string, { search: text, cursor: beforeId, offset, limit }: RunPage) {
      if (text === undefined) {
        const [total, rows] = await Promise.all([
          countRuns(tables, organizationId),
          listRuns(tables, { organizationId, beforeId }, { limit: limit + 1, offset }),
        ]);
        return { total, nextCursor: cursorAfter(rows, limit), entries: rows.slice(0, limit).map(toEntry) };
      }
      const found = await searchNewest(search, { organizationId, search: text });
      const rest = found.filter((id) => beforeId === undefined || id < beforeId).slice(offset);
      const entries = await readEntries(tables, organizationId, rest.slice(0, limit));
      return {
        total: found.length,
        nextCursor: cursorAfter(
          rest.map((id) => ({ id })),
          limit,
        ),
        entries,
      };
    },
  };
}

/** Looks through the next runs of a selection. */
type Search = (selection: RunSelection) => ReturnType<typeof searchRuns>;

type PageOfSearch = { search: Search; selection: RunSelection; limit: number };

async function searchPage(tables: RunsDb, { search, selection, limit }: PageOfSearch): Promise<RunsPage> {
  const seen = await search(selection);
  const found = seen.filter((row) => row.found).map(({ id }) => id);
  const ids = found.slice(0, limit);
  const data = await readEntries(tables, selection.organizationId, ids);
  if (found.length > limit) return { data, nextCursor: ids.at(-1) ?? null, searchedBackTo: null };
  const last = seen.length === searchedPerPage ? seen.at(-1)?.id : undefined;
  return { data, nextCursor: last ?? null, searchedBackTo: last === undefined ? null : timeOfId(last).toISOString() };
}

/**
 * The ids of the newest runs that hold the text, newest first. In steps, so that no statement lasts long, and not
 * through any number of them, so that searches leave something of the database to others.
 */
async function searchNewest(search: Search, selection: RunSelection): Promise<string[]> {
  const found: string[] = [];
  let beforeId: string | undefined;
  for (let looked = 0; looked < searchedAtMost; looked += searchedPerPage) {
    const seen = await search({ ...selection, beforeId });
    found.push(...seen.filter((row) => row.found).map(({ id }) => id));
    if (seen.length < searchedPerPage) break;
    beforeId = seen.at(-1)?.id;
  }
  return found;
}

/** As it would be read. */
const toStored = (row: NodeRow): RunNodeRow => ({ ...row, bytes: 0, isLeftOut: false, takenFrom: null });

/** For whoever asked for one more than fits on a page. */
const cursorAfter = (rows: { id: string }[], limit: number): string | null =>
  rows.length > limit ? (rows[limit - 1]?.id ?? null) : null;

async function readEntries(tables: RunsDb, organizationId: string, ids: string[]) {
  if (ids.length === 0) return [];
  const rows = await findRuns(tables, organizationId, ids);
  return rows.map(toEntry).sort((one, other) => (one.id < other.id ? 1 : -1));
}

function emptyWhenGone(error: unknown): Graph {
  if (error instanceof Refusal && error.code === "workflow_not_found") return new Map();
  throw error;
}

function select(
  organizationId: string,
  filter: Omit<RunQuery, "limit" | "cursor">,
  cursor: string | undefined,
): RunSelection {
  const { from, to, executionType, ...rest } = filter;
  if (cursor !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor))
    throw new Refusal("validation_failed", "cursor is not one of this list.", {
      errors: [{ pointer: "cursor", detail: "is not one of this list" }],
    });
  const bounds = [cursor, to === undefined ? undefined : lowestIdAt(new Date(to))].filter(
    (bound) => bound !== undefined,
  );
  return {
    organizationId,
    ...rest,
    kind: executionType,
    fromId: from === undefined ? undefined : lowestIdAt(new Date(from)),
    beforeId: bounds.sort()[0],
  };
}
