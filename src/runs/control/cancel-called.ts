import type { Sql } from "../../storage/database.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { cancelRuns, notifyCancelled, type RunPlace } from "../store.ts";

type Cancellation = { completedAt: Date; message: string };

/** Ends a run that has not ended, and those it called. The run itself is locked, or ended, before. */
export async function cancelTree(
  sql: Sql,
  queue: Pick<RunQueue, "removeAll">,
  { organizationId, id }: RunPlace,
  cancellation: Cancellation,
): Promise<string[]> {
  const ids: string[] = [];
  // One that was being stored while its parent was locked here is only seen afterwards.
  for (;;) {
    const found = await cancelRuns(sql, { organizationId, ids: [id], ...cancellation });
    if (found.length === 0) break;
    ids.push(...found);
  }
  await queue.removeAll(
    sql,
    ids.map((cancelled) => ({ id: cancelled })),
  );
  await notifyCancelled(sql, ids);
  return ids;
}

export const callerFailed = "The run that called this one failed.";
