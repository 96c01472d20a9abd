import type { Database } from "../../storage/database.ts";

const countStatement = {
  name: "run_queue_counts",
  text: "SELECT ready_count AS ready, active_count AS active, deferred_count AS later FROM run_queue.queue WHERE name = 'run'",
};

/** Runs in the queue of all processes, as a worker counted them last: ready ones, those a process has, and those whose moment comes later. */
export async function countQueue(db: Database): Promise<Record<string, number>> {
  const [counts] = await db.prepared<Record<"ready" | "active" | "later", number>>(countStatement, []);
  return counts ?? {};
}
