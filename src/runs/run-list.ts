import { Refusal } from "../base/refusal.ts";
import { lowestIdAt } from "../history/time-of-id.ts";
import type { Database } from "../storage/database.ts";
import type { LastRun } from "../workflows/wire.ts";
import { toEntry, toLastRun, toRun } from "./describe-run.ts";
import type { FindGraph } from "./find-graph.ts";
import type { Graph } from "./graph.ts";
import {
  countRuns,
  findExampleRun,
  findLastRuns,
  findWholeRun,
  listRunNodes,
  listRuns,
  type RunNodeRow,
  type RunSelection,
  runTables,
  type WholeRunRow,
} from "./list-store.ts";
import type { Run, RunEntry, RunQuery } from "./wire.ts";

export type RunList = ReturnType<typeof createRunList>;

type WholeRun = { row: WholeRunRow; nodes: RunNodeRow[]; graph: Graph };

/** The runs of an organization, newest first. */
export function createRunList({ db, findGraph }: { db: Database; findGraph: FindGraph }) {
  const tables = runTables(db);

  async function read(organizationId: string, id: string): Promise<WholeRun> {
    const row = await findWholeRun(tables, organizationId, id);
    if (!row) throw new Refusal("not_found", "There is no such run.");
    const [nodes, graph] = await Promise.all([
      listRunNodes(tables, organizationId, id),
      findGraph(organizationId, row.workflowId, row.workflowVersion).catch(emptyWhenGone),
    ]);
    return { row, nodes, graph };
  }

  return {
    read,

    async get(organizationId: string, id: string): Promise<Run> {
      const { row, nodes, graph } = await read(organizationId, id);
      return toRun(row, nodes, graph);
    },

    async list(organizationId: string, { limit, cursor, ...filter }: RunQuery): Promise<{ data: RunEntry[]; nextCursor: string | null }> {
      const rows = await listRuns(tables, select(organizationId, filter, cursor), { limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { data: page.map(toEntry), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    /** The id of the run that shows best what data a workflow deals with. */
    findExample: (organizationId: string, workflowId: string): Promise<string | undefined> =>
      findExampleRun(tables, organizationId, workflowId),

    /** By workflow; one that never ran is missing. */
    async lastOf(organizationId: string, workflowIds: string[]): Promise<Map<string, LastRun>> {
      const rows = await findLastRuns(tables, organizationId, workflowIds);
      return new Map(rows.map((row) => [row.workflowId, toLastRun(row)]));
    },

    /** By position instead of cursor, with the number of all. */
    async page(organizationId: string, { search, offset, limit }: { search?: string | undefined; offset: number; limit: number }) {
      const selection = { organizationId, search };
      const [total, rows] = await Promise.all([countRuns(tables, selection), listRuns(tables, selection, { limit, offset })]);
      return { total, entries: rows.map(toEntry) };
    },
  };
}

function emptyWhenGone(error: unknown): Graph {
  if (error instanceof Refusal && error.code === "workflow_not_found") return new Map();
  throw error;
}

function select(organizationId: string, filter: Omit<RunQuery, "limit" | "cursor">, cursor: string | undefined): RunSelection {
  const { from, to, executionType, ...rest } = filter;
  if (cursor !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor))
    throw new Refusal("validation_failed", "cursor is not one of this list.", {
      errors: [{ pointer: "cursor", detail: "is not one of this list" }],
    });
  const bounds = [cursor, to === undefined ? undefined : lowestIdAt(new Date(to))].filter((bound) => bound !== undefined);
  return {
    organizationId,
    ...rest,
    kind: executionType,
    fromId: from === undefined ? undefined : lowestIdAt(new Date(from)),
    beforeId: bounds.sort()[0],
  };
}
