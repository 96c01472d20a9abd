import { type Kysely, type RawBuilder, sql } from "kysely";
import { mostCounted } from "../../base/most-counted.ts";
import type { Database } from "../../storage/database.ts";
import type { RunKind } from "../accept/run-request.ts";

export type RunsDb = Kysely<unknown>;

export const runTables = (db: Database): RunsDb => db.tables<unknown>();

export type RunRow = {
  id: string;
  workflowId: string;
  workflowName: string | null;
  workflowDeleted: boolean;
  workflowVersion: number;
  kind: RunKind;
  status: "pending" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";
  triggerId: string | null;
  apiKeyId: string | null;
  apiKeyName: string | null;
  apiKeyDeleted: boolean;
  userId: string | null;
  userName: string | null;
  oauthClientId: string | null;
  oauthClientName: string | null;
  rerunOf: string | null;
  parentRunId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  errorNodeId: string | null;
  queuedAt: Date;
  startedAt: Date | null;
  wakeAt: Date | null;
  completedAt: Date | null;
  activeMs: number;
  changedAt: number;
};

export type WholeRunRow = RunRow & {
  triggerData: string;
  overrides: string | null;
  traceId: string | null;
  variables: string | null;
};

const columnsText = `
  run.id, run.workflow_id AS "workflowId", workflow.name AS "workflowName", workflow.deleted_at IS NOT NULL OR workflow.id IS NULL AS "workflowDeleted",
  run.workflow_version AS "workflowVersion", run.kind, run.status, run.trigger_id AS "triggerId",
  run.api_key_id AS "apiKeyId", run.api_key_name AS "apiKeyName",
  run.api_key_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM api_key WHERE api_key.id = run.api_key_id AND api_key.organization_id = run.organization_id AND api_key.revoked_at IS NULL
  ) AS "apiKeyDeleted",
  run.user_id AS "userId", run.user_name AS "userName",
  run.oauth_client_id AS "oauthClientId", run.oauth_client_name AS "oauthClientName",
  run.rerun_of AS "rerunOf", run.parent_run_id AS "parentRunId",
  run.error_code AS "errorCode", run.error_message AS "errorMessage", run.error_node_id AS "errorNodeId",
  run.queued_at AS "queuedAt", run.started_at AS "startedAt", run.wake_at AS "wakeAt", run.completed_at AS "completedAt",
  run.active_ms AS "activeMs", (extract(epoch FROM run.changed_at) * 1000000)::bigint AS "changedAt"`;

export const wholeColumnsText = `${columnsText}, run.trigger_data AS "triggerData", run.overrides, run.trace_id AS "traceId", run.variables`;

export const workflowText =
  "LEFT JOIN workflow ON workflow.organization_id = run.organization_id AND workflow.id = run.workflow_id";

const columns = sql.raw(columnsText);
const source = sql.raw(`run ${workflowText}`);

export type RunSelection = {
  organizationId: string;
  workflowId?: string | undefined;
  status?: string | undefined;
  kind?: string | undefined;
  apiKeyId?: string | undefined;
  parentRunId?: string | undefined;
  search?: string | undefined;
  fromId?: string | undefined;
  beforeId?: string | undefined;
};

/**
 * A range of one value, and the order by it. With `=` the planner sees that the primary key has the same order, and walks through all runs of the
 * organization for a workflow that has few; so it can only use the index that begins with this column.
 */
const within = (column: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
  sql`${column} >= ${value} AND ${column} <= ${value}`;

const [byWorkflow, byStatus] = [sql`run.workflow_id`, sql`run.status`];
const newestOf = (column: RawBuilder<unknown>) => sql`${column} DESC, run.id DESC`;

/** What one index knows, and its order. */
function choose(selection: RunSelection): { where: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const { organizationId, workflowId, status, parentRunId, fromId, beforeId } = selection;
  const where = (...parts: RawBuilder<unknown>[]) => {
    const bounds = [
      ...(fromId === undefined ? [] : [sql`run.id >= ${fromId}`]),
      ...(beforeId === undefined ? [] : [sql`run.id < ${beforeId}`]),
    ];
    return sql.join([sql`run.organization_id = ${organizationId}`, ...parts, ...bounds], sql` AND `);
  };
  if (parentRunId !== undefined)
    return { where: where(sql`run.parent_run_id = ${parentRunId}`), order: sql`run.id DESC` };
  if (workflowId !== undefined)
    return { where: where(within(byWorkflow, sql`${workflowId}::uuid`)), order: newestOf(byWorkflow) };
  if (status === undefined || !isRareStatus(status)) return { where: where(), order: sql`run.id DESC` };
  return {
    where: where(sql`run.status IN ('failed', 'cancelled')`, within(byStatus, sql`${status}::text`)),
    order: newestOf(byStatus),
  };
}

/** What that index does not know. */
function tests({ workflowId, parentRunId, status, kind, apiKeyId, search }: RunSelection): RawBuilder<unknown>[] {
  const isByStatus = workflowId === undefined && parentRunId === undefined;
  return [
    ...(workflowId === undefined || parentRunId === undefined ? [] : [sql`run.workflow_id = ${workflowId}`]),
    ...(status === undefined || (isByStatus && isRareStatus(status)) ? [] : [sql`run.status = ${status}`]),
    ...(kind === undefined ? [] : [sql`run.kind = ${kind}`]),
    ...(apiKeyId === undefined ? [] : [sql`coalesce(run.api_key_id = ${apiKeyId}, false)`]),
    ...(search === undefined
      ? []
      : [
          sql`coalesce(strpos(lower(workflow.name), lower(${search})) > 0, false) OR coalesce(strpos(lower(run.error_message), lower(${search})) > 0, false)`,
        ]),
  ];
}

const isRareStatus = (status: string): status is "failed" | "cancelled" =>
  status === "failed" || status === "cancelled";

/** Whether finding the runs of a selection means to look at runs that do not belong to it. */
export const needsSearch = (selection: RunSelection): boolean => tests(selection).length > 0;

/**
 * The newest runs that the indexes find for a selection, each with whether it belongs to it; so that a rare text cannot make one query read everything.
 * They are chosen first: a plan that sorts would otherwise look at all there are.
 */
export async function searchRuns(
  db: RunsDb,
  selection: RunSelection,
  limit: number,
): Promise<{ id: string; found: boolean }[]> {
  const found = sql.join(
    tests(selection).map((test) => sql`(${test})`),
    sql` AND `,
  );
  const { where, order } = choose(selection);
  const query = sql<{ id: string; found: boolean }>`SELECT run.id, ${found} AS found
    FROM (SELECT run.id, run.organization_id, run.workflow_id, run.status, run.kind, run.api_key_id, run.error_message
      FROM run WHERE ${where} ORDER BY ${order} LIMIT ${limit}) AS run
    LEFT JOIN workflow ON workflow.organization_id = run.organization_id AND workflow.id = run.workflow_id
    ORDER BY run.id DESC`;
  return (await query.execute(db)).rows;
}

/** Newest first, of a selection that needs no search. */
export async function listRuns(
  db: RunsDb,
  selection: RunSelection,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<RunRow[]> {
  const { where, order } = choose(selection);
  const query = sql<RunRow>`SELECT ${columns} FROM ${source} WHERE ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
  return (await query.execute(db)).rows;
}

/** As far as is counted. */
export async function countRuns(db: RunsDb, organizationId: string): Promise<number> {
  const { rows } = await sql<{
    total: number;
  }>`SELECT count(*) AS total FROM (SELECT FROM run WHERE run.organization_id = ${organizationId} LIMIT ${mostCounted}) AS counted`.execute(
    db,
  );
  return Number(rows[0]?.total ?? 0);
}

export async function findRuns(db: RunsDb, organizationId: string, ids: string[]): Promise<RunRow[]> {
  const query = sql<RunRow>`SELECT ${columns} FROM ${source} WHERE run.organization_id = ${organizationId} AND run.id = ANY (${ids}::uuid[])`;
  return (await query.execute(db)).rows;
}

export async function findWholeRun(db: RunsDb, organizationId: string, id: string): Promise<WholeRunRow | undefined> {
  const query = sql<WholeRunRow>`SELECT ${sql.raw(wholeColumnsText)}
    FROM ${source} WHERE run.organization_id = ${organizationId} AND run.id = ${id}`;
  return (await query.execute(db)).rows[0];
}

export type LastRunRow = Pick<RunRow, "id" | "workflowId" | "status" | "queuedAt" | "completedAt">;

/** The newest of each workflow that followed something published: a few steps down an index for each, past what was tried in the editor since. */
export async function findLastRuns(db: RunsDb, organizationId: string, workflowIds: string[]): Promise<LastRunRow[]> {
  const query = sql<LastRunRow>`SELECT asked.id AS "workflowId", last.id, last.status, last.queued_at AS "queuedAt", last.completed_at AS "completedAt"
    FROM unnest(${workflowIds}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (SELECT run.* FROM run WHERE run.organization_id = ${organizationId} AND ${within(byWorkflow, sql`asked.id`)}
      AND run.workflow_version > 0
      ORDER BY ${newestOf(byWorkflow)} LIMIT 1) AS last`;
  return (await query.execute(db)).rows;
}

/** How many runs back one is looked for that came further than its start. */
const mostExamples = 100;

/** The last run of a workflow with a node that succeeded, otherwise the last one. */
export async function findExampleRun(
  db: RunsDb,
  organizationId: string,
  workflowId: string,
): Promise<string | undefined> {
  const query = sql<{ id: string }>`SELECT latest.id
    FROM (SELECT run.id FROM run WHERE run.organization_id = ${organizationId} AND ${within(byWorkflow, sql`${workflowId}::uuid`)}
      ORDER BY ${newestOf(byWorkflow)} LIMIT ${mostExamples}) AS latest
    LEFT JOIN LATERAL (SELECT run_node.run_id FROM run_node WHERE run_node.organization_id = ${organizationId}
      AND run_node.run_id = latest.id AND run_node.status = 'succeeded' LIMIT 1) AS done ON true
    ORDER BY done.run_id IS NULL, latest.id DESC LIMIT 1`;
  return (await query.execute(db)).rows[0]?.id;
}

export async function listChangedRuns(
  db: RunsDb,
  { organizationId, since, limit }: { organizationId: string; since: number; limit: number },
) {
  const moment = sql`to_timestamp(${since / 1_000_000}::double precision)`;
  const query = sql<{
    id: string;
    version: number;
  }>`SELECT run.id, (extract(epoch FROM run.changed_at) * 1000000)::bigint AS version
    FROM run WHERE run.organization_id = ${organizationId} AND run.changed_at >= ${moment} ORDER BY run.changed_at, run.id LIMIT ${limit}`;
  return (await query.execute(db)).rows;
}

/** `items`: what came of its items, as `writeItems` has it. */
export type NodeData = { input: string | null; outputs: string | null; filled: string | null; items: string | null };

/** `bytes`: how much its data is, whether it was read or not. */
export type RunNodeRow = NodeData & {
  nodeId: string;
  nodeType: string;
  status: "running" | "retrying" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled";
  attempts: number;
  bytes: number;
  isLeftOut: boolean;
  done: number;
  total: number;
  errorCode: string | null;
  errorMessage: string | null;
  note: string | null;
  /** `pinned`, or the run that executed it; null when this one did. */
  takenFrom: string | null;
  wakeAt: Date | null;
  startedAt: Date;
  completedAt: Date | null;
  durationMs: number;
};

export const dataColumns = ["input", "outputs", "filled", "items"];
export const nodeBytesText = dataColumns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(" + ");

export const nodeColumnsText = `node_id AS "nodeId", node_type AS "nodeType", status, attempts, done, total, error_code AS "errorCode",
  error_message AS "errorMessage", note, taken_from AS "takenFrom", wake_at AS "wakeAt", started_at AS "startedAt", completed_at AS "completedAt", duration_ms AS "durationMs",
  ${nodeBytesText} AS bytes`;

export type NodeState = Omit<RunNodeRow, keyof NodeData | "isLeftOut">;

/** Without their data, of which only the size is looked at. */
export async function listNodeStates(db: RunsDb, organizationId: string, runId: string): Promise<NodeState[]> {
  const query = sql<NodeState>`SELECT ${sql.raw(nodeColumnsText)} FROM run_node WHERE organization_id = ${organizationId} AND run_id = ${runId} ORDER BY started_at, node_id`;
  return (await query.execute(db)).rows;
}

export async function findNodeData(
  db: RunsDb,
  organizationId: string,
  { runId, nodeIds }: { runId: string; nodeIds: string[] },
) {
  const query = sql<NodeData & { nodeId: string }>`SELECT node_id AS "nodeId", ${sql.raw(dataColumns.join(", "))}
    FROM run_node WHERE organization_id = ${organizationId} AND run_id = ${runId} AND node_id = ANY (${nodeIds}::text[])`;
  return (await query.execute(db)).rows;
}
