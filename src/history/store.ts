import { remember } from "../base/remember.ts";
import { type TableOf, wholeTable } from "../records/table-of.ts";
import { arraysOf, type Columns, columnNames, unnest, valuesOf } from "../storage/columns.ts";
import type { Database } from "../storage/database.ts";
import type { CallSource, CallStatus } from "./wire.ts";

export type NewCallRow = {
  organizationId: string;
  id: string;
  source: CallSource;
  serverId: string;
  tool: string;
  status: CallStatus;
  apiKeyId: string | null;
  apiKeyName: string | null;
  oauthClientId: string | null;
  oauthClientName: string | null;
  userId: string | null;
  userName: string | null;
  parameters: string;
  credentials: string;
  outputs: string | null;
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
  owner: string;
};

const newCallColumns: Columns<NewCallRow> = [
  ["organizationId", "organization_id", "uuid"],
  ["id", "id", "uuid"],
  ["source", "source", "text"],
  ["serverId", "server_id", "text"],
  ["tool", "tool", "text"],
  ["status", "status", "text"],
  ["apiKeyId", "api_key_id", "uuid"],
  ["apiKeyName", "api_key_name", "text"],
  ["oauthClientId", "oauth_client_id", "text"],
  ["oauthClientName", "oauth_client_name", "text"],
  ["userId", "user_id", "uuid"],
  ["userName", "user_name", "text"],
  ["parameters", "parameters", "text"],
  ["credentials", "credentials", "text"],
  ["outputs", "outputs", "text"],
  ["errorCode", "error_code", "text"],
  ["errorMessage", "error_message", "text"],
  ["queuedAt", "queued_at", "timestamptz"],
  ["startedAt", "started_at", "timestamptz"],
  ["completedAt", "completed_at", "timestamptz"],
  ["queueMs", "queue_ms", "bigint"],
  ["durationMs", "duration_ms", "bigint"],
  ["traceId", "trace_id", "text"],
  ["requestId", "request_id", "text"],
  ["replayOf", "replay_of", "uuid"],
  ["truncated", "truncated", "boolean"],
  ["sanitized", "sanitized", "boolean"],
  ["owner", "owner", "uuid"],
];

const insertInto = (table: string) => `INSERT INTO ${table} (${columnNames(newCallColumns)})`;
const unlessThere = "ON CONFLICT (organization_id, id) DO NOTHING";

const insertOne = (table: string) => ({
  name: `${table}_insert_one`,
  text: `${insertInto(table)} VALUES (${newCallColumns.map((_, index) => `$${index + 1}`).join(", ")}) ${unlessThere}`,
});

const insertMany = (table: string) => ({
  name: `${table}_insert_many`,
  text: `${insertInto(table)} SELECT * FROM ${unnest(newCallColumns)} ${unlessThere}`,
});

const idOf = ({ id }: { id: string }): string => id;

/** Safe to repeat: what is there already stays as it is. */
export async function insertCalls(db: Database, rows: NewCallRow[], tableOf: TableOf = wholeTable): Promise<void> {
  const { insertOne, insertMany } = statementsFor(tableOf("tool_call", rows.map(idOf)));
  const [only] = rows;
  if (rows.length === 1 && only) await db.prepared(insertOne, valuesOf(newCallColumns, only));
  else await db.prepared(insertMany, arraysOf(newCallColumns, rows));
}

export type CallEnd = {
  organizationId: string;
  id: string;
  status: CallStatus;
  outputs: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  completedAt: Date;
  durationMs: number;
  truncated: boolean;
  sanitized: boolean;
};

const endColumns: Columns<CallEnd> = [
  ["organizationId", "organization_id", "uuid"],
  ["id", "id", "uuid"],
  ["status", "status", "text"],
  ["outputs", "outputs", "text"],
  ["errorCode", "error_code", "text"],
  ["errorMessage", "error_message", "text"],
  ["completedAt", "completed_at", "timestamptz"],
  ["durationMs", "duration_ms", "bigint"],
  ["truncated", "truncated", "boolean"],
  ["sanitized", "sanitized", "boolean"],
];

const setEnd = (ended: (column: string) => string): string => {
  const columns = ["status", "outputs", "error_code", "error_message", "completed_at", "duration_ms"];
  const flags = ["truncated", "sanitized"];
  return [
    ...columns.map((column) => `${column} = ${ended(column)}`),
    ...flags.map((column) => `${column} = call.${column} OR ${ended(column)}`),
    "changed_at = now()",
  ].join(", ");
};

const placeOf = (column: string): string => `$${endColumns.findIndex(([, name]) => name === column) + 1}`;
const openStates = "('running', 'interrupted')";

const endOne = (table: string) => ({
  name: `${table}_end_one`,
  text: `UPDATE ${table} AS call SET ${setEnd(placeOf)} WHERE call.organization_id = $1 AND call.id = $2 AND call.status IN ${openStates} RETURNING call.id`,
});

// Without a name it is planned each time: a plan made while the table was small would read all of it when it is large.
// The empty text keeps the index by status out of the plan: next to no call is open, so it looks best, but it also holds every row that
// was open since the last vacuum.
const endMany = (table: string) => ({
  name: "",
  text: `UPDATE ${table} AS call SET ${setEnd((column) => `ended.${column}`)}
         FROM ${unnest(endColumns)} AS ended (${columnNames(endColumns)})
         WHERE call.organization_id = ended.organization_id AND call.id = ended.id AND call.status || '' IN ${openStates} RETURNING call.id`,
});

const statementsFor = remember((table: string) => ({
  insertOne: insertOne(table),
  insertMany: insertMany(table),
  endOne: endOne(table),
  endMany: endMany(table),
}));

/**
 * The ids that were open until now. `interrupted` is what others guess about a process that fell silent;
 * when it comes back, what it knows replaces the guess.
 */
export async function endCalls(db: Database, ends: CallEnd[], tableOf: TableOf = wholeTable): Promise<string[]> {
  const { endOne, endMany } = statementsFor(tableOf("tool_call", ends.map(idOf)));
  const [only] = ends;
  const rows =
    ends.length === 1 && only
      ? await db.prepared<{ id: string }>(endOne, valuesOf(endColumns, only))
      : await db.prepared<{ id: string }>(endMany, arraysOf(endColumns, ends));
  return rows.map(({ id }) => id);
}

const existingStatement = {
  name: "",
  text: `SELECT call.id FROM unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)
         JOIN tool_call AS call ON call.organization_id = asked.organization_id AND call.id = asked.id`,
};

export async function findExistingCalls(
  db: Database,
  calls: { organizationId: string; id: string }[],
): Promise<string[]> {
  const values = [calls.map(({ organizationId }) => organizationId), calls.map(({ id }) => id)];
  return (await db.prepared<{ id: string }>(existingStatement, values)).map(({ id }) => id);
}
