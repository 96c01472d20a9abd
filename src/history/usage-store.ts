import { inParts } from "../records/in-parts.ts";
import type { Database, Sql } from "../storage/database.ts";
import type { CallStatus } from "./wire.ts";

/** Ids between which the records of each bucket lie; each edge ends one bucket and begins the next. */
export type Period = { organizationId: string; edges: string[] };

export type BucketRow = { bucket: number; status: CallStatus; apiKeyId: string | null; calls: number };
export type ToolRow = { serverId: string; tool: string; durationMs: number | null; calls: number; failed: number };

const bucketStatement = {
  name: "tool_call_use_by_bucket",
  text: `SELECT (bucket.number - 1)::integer AS bucket, counted.status, counted.api_key_id AS "apiKeyId", counted.calls
         FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS bucket (low, high, number)
         CROSS JOIN LATERAL (
           SELECT status, api_key_id, count(*)::integer AS calls FROM tool_call
           WHERE organization_id = $1 AND id >= bucket.low AND id < bucket.high GROUP BY status, api_key_id
         ) AS counted`,
};

export const countByBucket = (db: Database, { organizationId, edges }: Period): Promise<BucketRow[]> =>
  inParts(edges, async (part, first) => {
    const rows = await inMemory<BucketRow>(db, (sql) =>
      sql(bucketStatement, [organizationId, part.slice(0, -1), part.slice(1)]),
    );
    return rows.map((row) => ({ ...row, bucket: row.bucket + first }));
  });

// Two digits say enough, and keep the number of groups small however many calls there are.
const toolStatement = {
  name: "",
  text: `SELECT server_id AS "serverId", tool, (CASE
             WHEN duration_ms < 100 THEN duration_ms
             WHEN duration_ms < 1000 THEN duration_ms / 10 * 10
             WHEN duration_ms < 10000 THEN duration_ms / 100 * 100
             WHEN duration_ms < 100000 THEN duration_ms / 1000 * 1000
             ELSE duration_ms / 10000 * 10000
           END)::integer AS "durationMs",
           count(*)::integer AS calls, (count(*) FILTER (WHERE status IN ('failed', 'timed_out')))::integer AS failed
         FROM tool_call WHERE organization_id = $1 AND id >= $2 AND id < $3 GROUP BY 1, 2, 3`,
};

/** Each tool's calls by how long they took, rounded down to two digits. */
export const countByTool = (db: Database, { organizationId, edges }: Period): Promise<ToolRow[]> =>
  inParts(edges, (part) =>
    inMemory<ToolRow>(db, (sql) => sql(toolStatement, [organizationId, part.at(0), part.at(-1)])),
  );

const keyNameStatement = {
  name: "tool_call_key_names",
  text: `SELECT asked.id, (
           SELECT api_key_name FROM tool_call WHERE organization_id = $1 AND api_key_id = asked.id ORDER BY id DESC LIMIT 1
         ) AS name FROM unnest($2::uuid[]) AS asked (id)`,
};

/** As they were called last. */
export const findKeyNames = (
  db: Database,
  organizationId: string,
  ids: string[],
): Promise<{ id: string; name: string | null }[]> => db.prepared(keyNameStatement, [organizationId, ids]);

/** Sorting a million rows on disk would take longer than counting them. */
const inMemory = async <Row>(db: Database, count: (sql: Sql) => Promise<Row[]>): Promise<Row[]> =>
  await db.transaction(async (sql) => {
    await sql({ name: "", text: "SET LOCAL work_mem = '64MB'" }, []);
    return await count(sql);
  });
