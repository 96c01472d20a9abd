import { arraysOf, type Columns, columnNames, unnest } from "../../storage/columns.ts";
import type { Sql } from "../../storage/database.ts";
import { boundsOf } from "../store.ts";

// Idempotency keys: which run a key stands for.

export type Once = { organizationId: string; key: string; requestSha256: Buffer; runId: string };
/** `queuedAt` is missing while the run is not stored yet. */
export type KnownOnce = Once & { queuedAt: Date | null };

const onceColumns: Columns<Once> = [
  ["organizationId", "organization_id", "uuid"],
  ["key", "key", "text"],
  ["requestSha256", "wish_sha256", "bytea"],
  ["runId", "run_id", "uuid"],
];

// An old key may be used again. Taken in one order by all, so that two processes never wait for each other.
const claimOnceStatement = {
  name: "",
  text: `INSERT INTO run_once AS once (${columnNames(onceColumns)}) SELECT * FROM ${unnest(onceColumns)} AS asked (${columnNames(onceColumns)})
         ORDER BY organization_id, key
         ON CONFLICT (organization_id, key) DO UPDATE
           SET wish_sha256 = excluded.wish_sha256, run_id = excluded.run_id, created_at = now()
           WHERE once.created_at < now() - interval '24 hours'`,
};

const findOnceStatement = {
  name: "",
  text: `SELECT once.organization_id AS "organizationId", once.key, once.wish_sha256 AS "requestSha256", once.run_id AS "runId"
         FROM unnest($1::uuid[], $2::text[]) AS asked (organization_id, key)
         JOIN run_once AS once ON once.organization_id = asked.organization_id AND once.key = asked.key
           AND once.created_at >= now() - interval '24 hours'`,
};

const queuedAtStatement = {
  name: "",
  text: `SELECT run.id, run.queued_at AS "queuedAt" FROM unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)
         JOIN run ON run.organization_id = asked.organization_id AND run.id = asked.id AND run.id >= $3 AND run.id <= $4`,
};

const findKeys = (sql: Sql, places: Pick<Once, "organizationId" | "key">[]): Promise<Once[]> =>
  sql<Once>(findOnceStatement, [places.map(({ organizationId }) => organizationId), places.map(({ key }) => key)]);

export const findOnce = async (sql: Sql, places: Pick<Once, "organizationId" | "key">[]): Promise<KnownOnce[]> =>
  await withQueuedAt(sql, await findKeys(sql, places));

async function withQueuedAt(sql: Sql, known: Once[]): Promise<KnownOnce[]> {
  if (known.length === 0) return [];
  const ids = known.map(({ runId }) => runId);
  const values = [known.map(({ organizationId }) => organizationId), ids, ...boundsOf(ids)];
  const rows = await sql<{ id: string; queuedAt: Date }>(queuedAtStatement, values);
  const moments = new Map(rows.map(({ id, queuedAt }) => [id, queuedAt]));
  return known.map((once) => ({ ...once, queuedAt: moments.get(once.runId) ?? null }));
}

/** What the keys stand for from now on: the given run, or the one that was first. No key may be given twice. */
export async function claimOnce(sql: Sql, requests: Once[]): Promise<KnownOnce[]> {
  if (requests.length === 0) return [];
  await sql(claimOnceStatement, arraysOf(onceColumns, requests));
  const known = await findKeys(sql, requests);
  const given = new Set(requests.map(({ runId }) => runId));
  const fresh = known.filter(({ runId }) => given.has(runId)).map((once) => ({ ...once, queuedAt: null }));
  const others = known.filter(({ runId }) => !given.has(runId));
  return [...fresh, ...(await withQueuedAt(sql, others))];
}
