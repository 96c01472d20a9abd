import { type Kysely, type RawBuilder, sql } from "kysely";
import { mostCounted } from "../base/most-counted.ts";
import type { Database } from "../storage/database.ts";
import type { CallSource, CallStatus } from "./wire.ts";

export type HistoryDb = Kysely<unknown>;

export const historyTables = (db: Database): HistoryDb => db.tables<unknown>();

export type EntryRow = {
  id: string;
  source: CallSource;
  serverId: string;
  tool: string;
  status: CallStatus;
  apiKeyId: string | null;
  apiKeyName: string | null;
  apiKeyDeleted: boolean;
  oauthClientId: string | null;
  oauthClientName: string | null;
  userId: string | null;
  userName: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  queuedAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  queueMs: number;
  durationMs: number | null;
  traceId: string | null;
  requestId: string | null;
  replayOf: string | null;
  truncated: boolean;
  sanitized: boolean;
};

export type CallRow = EntryRow & { parameters: string; credentials: string; outputs: string | null };

export type ChangedRow = EntryRow & { changedAt: number };

const entryColumns = sql`
  call.id, call.source, call.server_id AS "serverId", call.tool, call.status,
  call.api_key_id AS "apiKeyId", call.api_key_name AS "apiKeyName",
  call.api_key_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM api_key WHERE api_key.id = call.api_key_id AND api_key.organization_id = call.organization_id AND api_key.revoked_at IS NULL
  ) AS "apiKeyDeleted",
  call.oauth_client_id AS "oauthClientId", call.oauth_client_name AS "oauthClientName",
  call.user_id AS "userId", call.user_name AS "userName", call.error_code AS "errorCode", call.error_message AS "errorMessage",
  call.queued_at AS "queuedAt", call.started_at AS "startedAt", call.completed_at AS "completedAt",
  call.queue_ms AS "queueMs", call.duration_ms AS "durationMs", call.trace_id AS "traceId", call.request_id AS "requestId",
  call.replay_of AS "replayOf", call.truncated, call.sanitized`;

const payloadColumns = sql`call.parameters, call.credentials, call.outputs`;

export type CallSelection = {
  organizationId: string;
  source?: CallSource | undefined;
  serverId?: string | undefined;
  tool?: string | undefined;
  status?: CallStatus | undefined;
  apiKeyId?: string | undefined;
  /** Ids from here on. */
  fromId?: string | undefined;
  /** Ids below. */
  beforeId?: string | undefined;
};

function matches(selection: CallSelection): RawBuilder<unknown> {
  const { organizationId, source, serverId, tool, status, apiKeyId, fromId, beforeId } = selection;
  const conditions = [sql`call.organization_id = ${organizationId}`];
  // The platform server is the only one of its source, so the index on servers finds its calls.
  if (source === "platform") conditions.push(sql`call.server_id = 'platform'`);
  if (source === "mcp") conditions.push(sql`call.server_id <> 'platform'`);
  if (serverId !== undefined) conditions.push(sql`call.server_id = ${serverId}`);
  if (tool !== undefined) conditions.push(sql`call.tool = ${tool}`);
  if (status !== undefined) conditions.push(sql`call.status = ${sql.lit(status)}`);
  if (apiKeyId !== undefined) conditions.push(sql`call.api_key_id = ${apiKeyId}`);
  if (fromId !== undefined) conditions.push(sql`call.id >= ${fromId}`);
  if (beforeId !== undefined) conditions.push(sql`call.id < ${beforeId}`);
  return sql.join(conditions, sql` AND `);
}

export async function listCalls(
  db: HistoryDb,
  selection: CallSelection,
  limit: number,
  offset = 0,
): Promise<EntryRow[]> {
  const query = sql<EntryRow>`SELECT ${entryColumns} FROM tool_call AS call
    WHERE ${matches(selection)} ORDER BY call.id DESC OFFSET ${offset} LIMIT ${limit}`;
  return (await query.execute(db)).rows;
}

/** As far as is counted. */
export async function countCalls(db: HistoryDb, organizationId: string): Promise<number> {
  const query = sql<{
    total: number;
  }>`SELECT count(*) AS total FROM (SELECT FROM tool_call AS call WHERE call.organization_id = ${organizationId} LIMIT ${mostCounted}) AS counted`;
  return Number((await query.execute(db)).rows[0]?.total);
}

export async function listWholeCalls(db: HistoryDb, selection: CallSelection, limit: number): Promise<CallRow[]> {
  const query = sql<CallRow>`SELECT ${entryColumns}, ${payloadColumns} FROM tool_call AS call
    WHERE ${matches(selection)} ORDER BY call.id DESC LIMIT ${limit}`;
  return (await query.execute(db)).rows;
}

/**
 * The newest calls of a selection, each with whether it holds the text; so that a rare text cannot make one query read everything.
 * They are chosen first: a plan that sorts would otherwise look for the text in all there are.
 */
export async function searchCalls(
  db: HistoryDb,
  selection: CallSelection,
  { text, limit }: { text: string; limit: number },
) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const query = sql<{ id: string; found: boolean }>`
    SELECT id, tool ILIKE ${pattern} OR coalesce(error_message ILIKE ${pattern}, false) OR parameters ILIKE ${pattern} AS found
    FROM (SELECT call.id, call.tool, call.error_message, call.parameters FROM tool_call AS call
      WHERE ${matches(selection)} ORDER BY call.id DESC LIMIT ${limit}) AS newest
    ORDER BY id DESC`;
  return (await query.execute(db)).rows;
}

export async function findCalls(db: HistoryDb, organizationId: string, ids: string[]): Promise<ChangedRow[]> {
  const query = sql<ChangedRow>`SELECT ${entryColumns}, ${changedAt} AS "changedAt" FROM tool_call AS call
    WHERE call.organization_id = ${organizationId} AND call.id = ANY(${ids}::uuid[]) ORDER BY call.changed_at, call.id`;
  return (await query.execute(db)).rows;
}

export async function findWholeCall(db: HistoryDb, organizationId: string, id: string): Promise<CallRow | undefined> {
  const query = sql<CallRow>`SELECT ${entryColumns}, ${payloadColumns} FROM tool_call AS call
    WHERE call.organization_id = ${organizationId} AND call.id = ${id}`;
  return (await query.execute(db)).rows[0];
}

/** Microseconds, as exact as the database keeps it. */
const changedAt = sql`(extract(epoch FROM call.changed_at) * 1000000)::bigint`;

type Period = { organizationId: string; sinceMicroseconds: number; limit: number };

/** Read from the index alone. */
export async function listChanges(db: HistoryDb, { organizationId, sinceMicroseconds, limit }: Period) {
  const since = sql`to_timestamp(0) + ${sinceMicroseconds}::bigint * interval '1 microsecond'`;
  const query = sql<{ id: string; version: number }>`SELECT call.id, ${changedAt} AS version FROM tool_call AS call
    WHERE call.organization_id = ${organizationId} AND call.changed_at >= ${since} ORDER BY call.changed_at, call.id LIMIT ${limit}`;
  return (await query.execute(db)).rows;
}
