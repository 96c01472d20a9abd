import type { Sql } from "../../storage/database.ts";
import type { RunQueue } from "./run-queue.ts";

const entriesAtOnce = 1_000;

/** Gives every run that has not ended its place in the queue anew, for a database whose runs come from elsewhere. */
export async function requeueRuns(sql: Sql, queue: Pick<RunQueue, "clear" | "insert">): Promise<number> {
  await queue.clear(sql);
  const unfinished = await sql<{ id: string; organizationId: string; startAfter: Date | null }>(
    {
      name: "",
      text: `SELECT id, organization_id AS "organizationId", CASE WHEN status = 'waiting' THEN wake_at END AS "startAfter"
             FROM run WHERE status IN ('pending', 'running', 'waiting') ORDER BY id`,
    },
    [],
  );
  for (let start = 0; start < unfinished.length; start += entriesAtOnce)
    await queue.insert(sql, unfinished.slice(start, start + entriesAtOnce));
  return unfinished.length;
}
