import { newId } from "../../../src/base/ids.ts";
import type { NewCallRow } from "../../../src/history/store.ts";
import { createPartitions } from "../../../src/records/partitions.ts";
import { lowestIdAt } from "../../../src/records/time-of-id.ts";
import { createDatabase } from "../../../src/storage/database.ts";
import { createTestDatabase } from "./test-database.ts";
import { silentLog } from "./test-postgres.ts";

export type Months = Awaited<ReturnType<typeof openMonths>>;

export const organizationId = newId();
const today = new Date();

/** A moment of the month that is so many after this one. */
export const at = (months: number, day = 10): Date =>
  new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, day));
export const idAt = (moment: Date): string => `${lowestIdAt(moment).slice(0, 13)}-7000-8000-${newId().slice(-12)}`;
export const nameOf = (table: string, months: number): string =>
  `${table}_${at(months).toISOString().slice(0, 7).replace("-", "_")}`;

export const callOf = (id: string, more: Partial<NewCallRow> = {}): NewCallRow => ({
  organizationId,
  id,
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  status: "success",
  apiKeyId: null,
  apiKeyName: null,
  oauthClientId: null,
  oauthClientName: null,
  userId: null,
  userName: null,
  parameters: "{}",
  credentials: "{}",
  outputs: null,
  errorCode: null,
  errorMessage: null,
  traceId: null,
  requestId: null,
  replayOf: null,
  queuedAt: new Date(),
  startedAt: null,
  completedAt: new Date(),
  queueMs: 0,
  durationMs: null,
  truncated: false,
  sanitized: false,
  owner: organizationId,
  ...more,
});

/** A database of its own, and partitions that believe in any time. */
export async function openMonths() {
  const database = await createTestDatabase();
  const db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
  await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Ours')", [organizationId]);
  return {
    database,
    db,

    partitionsAt: (moment: Date, log = silentLog) =>
      createPartitions({ db, target: database.target, log, readNow: async () => moment }),

    async insertRun(id: string, status: string): Promise<string> {
      await database.query(
        `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at) VALUES ($1, $2, $1, 1, 'api', $3, '{}', now())`,
        [organizationId, id, status],
      );
      await database.query(
        `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, started_at, duration_ms) VALUES ($1, $2, 'a', 'start', 'succeeded', 1, 0, now(), 1)`,
        [organizationId, id],
      );
      return id;
    },

    async tablesOf(parent: string): Promise<string[]> {
      const text = "SELECT relid::text AS name FROM pg_partition_tree($1) WHERE isleaf ORDER BY relid::text";
      return (await database.query<{ name: string }>(text, [parent])).map(({ name }) => name);
    },

    /** In which table each row lies. */
    async placesOf(table: string, key = "id"): Promise<Record<string, string>> {
      const rows = await database.query<{ id: string; place: string }>(
        `SELECT ${key} AS id, tableoid::regclass::text AS place FROM ${table}`,
      );
      return Object.fromEntries(rows.map(({ id, place }) => [id, place]));
    },

    async close(): Promise<void> {
      await db.close();
      await database.drop();
    },
  };
}
