import { type Kysely, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { CallPlace } from "./record.ts";

const beatStatement = {
  name: "recorder_beat",
  text: "INSERT INTO recorder (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET seen_at = now()",
};

export const beat = (db: Database, recorderId: string) => db.prepared(beatStatement, [recorderId]);

export const removeRecorder = (db: Database, recorderId: string) =>
  db.prepared({ name: "recorder_remove", text: "DELETE FROM recorder WHERE id = $1" }, [recorderId]);

// A row that was opened a moment ago proves that its process lives, whatever its heartbeat says.
const interruptStatement = {
  name: "",
  text: `WITH abandoned AS (
           SELECT organization_id, id FROM tool_call
           WHERE status = 'running' AND changed_at < now() - make_interval(secs => $1)
             AND NOT EXISTS (
               SELECT FROM recorder WHERE recorder.id = tool_call.owner AND recorder.seen_at > now() - make_interval(secs => $1)
             )
           LIMIT $2 FOR UPDATE SKIP LOCKED
         )
         UPDATE tool_call AS call
         SET status = 'interrupted', error_code = 'interrupted', error_message = $3, completed_at = now(), changed_at = now()
         FROM abandoned WHERE call.organization_id = abandoned.organization_id AND call.id = abandoned.id
         RETURNING call.organization_id AS "organizationId", call.id`,
};

type Abandoned = { silentSeconds: number; limit: number; message: string };

/** Closes open rows of processes that fell silent, across all organizations. Judged by the clock of the database alone. */
export const interruptAbandonedCalls = (
  db: Database,
  { silentSeconds, limit, message }: Abandoned,
): Promise<CallPlace[]> => db.prepared<CallPlace>(interruptStatement, [silentSeconds, limit, message]);

export const removeSilentRecorders = (db: Database) =>
  db.prepared({ name: "recorder_tidy", text: "DELETE FROM recorder WHERE seen_at < now() - interval '1 hour'" }, []);

type UpkeepTables = {
  tool_call: { organization_id: string; id: string; status: string };
  organization: { id: string };
};

export type UpkeepDb = Kysely<UpkeepTables>;

export const upkeepTables = (db: Database): UpkeepDb => db.tables<UpkeepTables>();

/** Each organization that has records, with a skip over the index instead of a read of all of it. */
export async function listRecordedOrganizations(db: UpkeepDb) {
  const { rows } = await sql<{ id: string; exists: boolean }>`
    WITH RECURSIVE recorded AS (
      (SELECT organization_id AS id FROM tool_call ORDER BY organization_id LIMIT 1)
      UNION ALL
      SELECT (SELECT organization_id FROM tool_call WHERE organization_id > recorded.id ORDER BY organization_id LIMIT 1)
      FROM recorded WHERE recorded.id IS NOT NULL
    )
    SELECT recorded.id, organization.id IS NOT NULL AND organization.deleted_at IS NULL AS exists
    FROM recorded LEFT JOIN organization ON organization.id = recorded.id WHERE recorded.id IS NOT NULL`.execute(db);
  return rows;
}

/** The newest id that is over the number of rows to keep. */
export const findFirstSurplus = (db: UpkeepDb, organizationId: string, keptRows: number) =>
  db
    .selectFrom("tool_call")
    .select("id")
    .where("organization_id", "=", organizationId)
    .orderBy("id", "desc")
    .offset(keptRows)
    .limit(1)
    .executeTakeFirst();

type Removal = { organizationId: string; beforeId: string; limit: number };

/** Removes the oldest ended rows; undefined when another process is at it. The lock ends with the transaction. */
export async function removeOldCalls(
  db: UpkeepDb,
  { organizationId, beforeId, limit }: Removal,
): Promise<number | undefined> {
  return await db.transaction().execute(async (transaction) => {
    const lock = sql<{
      locked: boolean;
    }>`SELECT pg_try_advisory_xact_lock(hashtext('switchyard history retention')) AS locked`;
    if ((await lock.execute(transaction)).rows[0]?.locked !== true) return undefined;
    const oldest = transaction
      .selectFrom("tool_call")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("id", "<", beforeId)
      .where("status", "!=", "running")
      .orderBy("id")
      .limit(limit);
    const { numDeletedRows } = await transaction
      .deleteFrom("tool_call")
      .where("organization_id", "=", organizationId)
      .where("id", "=", sql<string>`ANY (ARRAY (${oldest}))`)
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
