import { remember } from "../base/remember.ts";
import { type TableOf, wholeTable } from "../records/table-of.ts";
import { arraysOf, type Columns, columnNames, unnest } from "../storage/columns.ts";
import type { Sql } from "../storage/database.ts";
import { isOfEditor, type RunKind } from "./accept/run-request.ts";

export type RunPlace = { organizationId: string; id: string };

const firstEpoch = 1;

export type NewRun = RunPlace & {
  workflowId: string;
  workflowVersion: number;
  kind: RunKind;
  triggerData: string;
  overrides: string | null;
  triggerId: string | null;
  apiKeyId: string | null;
  apiKeyName: string | null;
  userId: string | null;
  userName: string | null;
  oauthClientId: string | null;
  oauthClientName: string | null;
  requestId: string | null;
  traceId: string;
  traceParent: string;
  rerunOf: string | null;
  parentRunId: string | null;
  depth: number;
  queuedAt: Date;
};

const newRunColumns: Columns<NewRun> = [
  ["organizationId", "organization_id", "uuid"],
  ["id", "id", "uuid"],
  ["workflowId", "workflow_id", "uuid"],
  ["workflowVersion", "workflow_version", "integer"],
  ["kind", "kind", "text"],
  ["triggerData", "trigger_data", "text"],
  ["overrides", "overrides", "text"],
  ["triggerId", "trigger_id", "uuid"],
  ["apiKeyId", "api_key_id", "uuid"],
  ["apiKeyName", "api_key_name", "text"],
  ["userId", "user_id", "uuid"],
  ["userName", "user_name", "text"],
  ["oauthClientId", "oauth_client_id", "text"],
  ["oauthClientName", "oauth_client_name", "text"],
  ["requestId", "request_id", "text"],
  ["traceId", "trace_id", "text"],
  ["traceParent", "trace_parent", "text"],
  ["rerunOf", "rerun_of", "uuid"],
  ["parentRunId", "parent_run_id", "uuid"],
  ["depth", "depth", "integer"],
  ["queuedAt", "queued_at", "timestamptz"],
];

const insertRunsStatement = remember((table: string) => ({
  name: `${table}_insert`,
  text: `INSERT INTO ${table} (status, owner, epoch, ${columnNames(newRunColumns)})
         SELECT 'pending', $${newRunColumns.length + 1}::uuid, ${firstEpoch}, * FROM ${unnest(newRunColumns)}`,
}));

/** They belong to the process that takes them in the same transaction; whoever takes one later raises its epoch. */
export async function insertRuns(
  sql: Sql,
  owner: string,
  rows: NewRun[],
  tableOf: TableOf = wholeTable,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (rows.length > 0) await sql(insertRunsStatement(tableOf("run", ids)), [...arraysOf(newRunColumns, rows), owner]);
}

/** A run as its first owner has it, without reading what was just written. */
export const asAdopted = (row: NewRun): AdoptedRun => {
  const {
    organizationId,
    id,
    workflowId,
    workflowVersion,
    kind,
    triggerData,
    overrides,
    depth,
    parentRunId,
    queuedAt,
  } = row;
  return {
    organizationId,
    id,
    workflowId,
    workflowVersion,
    kind,
    triggerData,
    overrides,
    depth,
    parentRunId,
    queuedAt,
    epoch: firstEpoch,
    startedAt: null,
    activeMs: 0,
    isResumed: row.rerunOf !== null || isOfEditor(kind),
    isDeleted: false,
    traceParent: row.traceParent,
  };
};

const activeTriggersStatement = {
  name: "run_active_triggers",
  text: `SELECT trigger.organization_id AS "organizationId", trigger.id FROM trigger
           JOIN (SELECT DISTINCT organization_id, id FROM unnest($1::uuid[], $2::uuid[]) AS given (organization_id, id)) AS asked
             ON trigger.organization_id = asked.organization_id AND trigger.id = asked.id
         WHERE trigger.is_active ORDER BY trigger.id FOR SHARE OF trigger`,
};

/** Locks them until the transaction ends: whoever turns one off is answered before or after, never in between. */
export const findActiveTriggers = (sql: Sql, places: RunPlace[]): Promise<RunPlace[]> =>
  findPlaces(sql, activeTriggersStatement, places);

const unfinishedStatement = {
  name: "run_unfinished",
  text: `SELECT run.organization_id AS "organizationId", run.id FROM run
           JOIN unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)
             ON run.organization_id = asked.organization_id AND run.id = asked.id
         WHERE run.status IN ('pending', 'running', 'waiting') ORDER BY run.organization_id, run.id FOR SHARE OF run`,
};

/** Locks them until the transaction ends: whoever cancels one is answered before or after, never in between. */
export const findUnfinished = (sql: Sql, places: RunPlace[]): Promise<RunPlace[]> =>
  findPlaces(sql, unfinishedStatement, places);

async function findPlaces(
  sql: Sql,
  statement: { name: string; text: string },
  places: RunPlace[],
): Promise<RunPlace[]> {
  if (places.length === 0) return [];
  return await sql<RunPlace>(statement, [
    places.map(({ organizationId }) => organizationId),
    places.map(({ id }) => id),
  ]);
}

/** The lowest and the highest, which keep a statement to the partitions that they lie in. */
export function boundsOf(ids: string[]): (string | undefined)[] {
  const sorted = ids.toSorted();
  return [sorted.at(0), sorted.at(-1)];
}

export type AdoptedRun = RunPlace & {
  workflowId: string;
  workflowVersion: number;
  kind: RunKind;
  triggerData: string;
  overrides: string | null;
  epoch: number;
  depth: number;
  parentRunId: string | null;
  startedAt: Date | null;
  queuedAt: Date;
  activeMs: number;
  traceParent: string | null;
  /** Whether another attempt may have left something. */
  isResumed: boolean;
  /** Its workflow or its organization was deleted after it was accepted: it must not begin. */
  isDeleted: boolean;
};

const adoptStatement = {
  name: "",
  text: `WITH locked AS (
           SELECT run.organization_id, run.id FROM run
           JOIN unnest($2::uuid[], $3::uuid[]) AS taken (organization_id, id) ON run.organization_id = taken.organization_id AND run.id = taken.id
           WHERE run.status IN ('pending', 'running', 'waiting') AND run.id >= $4 AND run.id <= $5
           ORDER BY run.organization_id, run.id FOR NO KEY UPDATE OF run
         )
         UPDATE run SET owner = $1, epoch = run.epoch + 1 FROM locked
         WHERE run.organization_id = locked.organization_id AND run.id = locked.id AND run.id >= $4 AND run.id <= $5
         RETURNING run.organization_id AS "organizationId", run.id, run.workflow_id AS "workflowId", run.workflow_version AS "workflowVersion",
           run.kind, run.trigger_data AS "triggerData", run.overrides, run.epoch, run.depth, run.parent_run_id AS "parentRunId",
           run.started_at AS "startedAt", run.queued_at AS "queuedAt", run.active_ms AS "activeMs",
           run.trace_parent AS "traceParent", run.epoch > ${firstEpoch} OR run.rerun_of IS NOT NULL OR run.kind IN ('editor', 'step') AS "isResumed",
           EXISTS (SELECT FROM workflow WHERE workflow.organization_id = run.organization_id AND workflow.id = run.workflow_id AND deleted_at IS NOT NULL)
             OR EXISTS (SELECT FROM organization WHERE organization.id = run.organization_id AND deleted_at IS NOT NULL) AS "isDeleted"`,
};

/** Those that have not ended. From now on nobody else can write to them. */
export async function adoptRuns(sql: Sql, owner: string, places: RunPlace[]): Promise<AdoptedRun[]> {
  if (places.length === 0) return [];
  const ids = places.map(({ id }) => id);
  return await sql<AdoptedRun>(adoptStatement, [
    owner,
    places.map(({ organizationId }) => organizationId),
    ids,
    ...boundsOf(ids),
  ]);
}

const cancelStatement = {
  name: "run_cancel",
  text: `WITH RECURSIVE tree AS (
           SELECT organization_id, id FROM run WHERE organization_id = $1 AND id = ANY ($2::uuid[])
           UNION SELECT run.organization_id, run.id FROM run JOIN tree ON run.organization_id = tree.organization_id AND run.parent_run_id = tree.id
         ), locked AS (
           SELECT run.organization_id, run.id FROM run JOIN tree ON run.organization_id = tree.organization_id AND run.id = tree.id
           ORDER BY run.id FOR NO KEY UPDATE OF run
         ), cancelled AS (
           UPDATE run SET status = 'cancelled', completed_at = $3, wake_at = NULL, changed_at = clock_timestamp(),
             error_code = 'cancelled', error_message = $4
           FROM locked WHERE run.organization_id = locked.organization_id AND run.id = locked.id AND run.status IN ('pending', 'running', 'waiting')
           RETURNING run.id
         )
         SELECT id FROM cancelled`,
};

type Cancellation = { organizationId: string; ids: string[]; completedAt: Date; message: string };

/** Ends runs that have not ended, and those they wait for. Whoever works on them can write nothing afterwards. */
export async function cancelRuns(
  sql: Sql,
  { organizationId, ids, completedAt, message }: Cancellation,
): Promise<string[]> {
  return (await sql<{ id: string }>(cancelStatement, [organizationId, ids, completedAt, message])).map((row) => row.id);
}

const parentStatement = {
  name: "run_parent",
  text: `SELECT parent_run_id AS "parentRunId" FROM run WHERE organization_id = $1 AND id = $2`,
};

export async function findParent(sql: Sql, { organizationId, id }: RunPlace): Promise<string | null | undefined> {
  return (await sql<{ parentRunId: string | null }>(parentStatement, [organizationId, id]))[0]?.parentRunId;
}

/** A hint for other processes. Heard when the transaction commits. */
export async function notifyWorkers(sql: Sql, message: string): Promise<void> {
  await sql({ name: "run_notify", text: `SELECT pg_notify('${workersChannel}', $1)` }, [message]);
}

/** To whoever works on them. */
export async function notifyCancelled(sql: Sql, ids: string[]): Promise<void> {
  const text = `SELECT pg_notify('${workersChannel}', 'cancelled ' || id) FROM unnest($1::uuid[]) AS id`;
  await sql({ name: "run_notify_cancelled", text }, [ids]);
}

export const workersChannel = "switchyard_runs";
