import { lowestIdAt } from "../../records/time-of-id.ts";
import type { Database } from "../../storage/database.ts";
import { type BucketRow, countByBucket, findWorkflowNames } from "./usage-store.ts";

export type CountRuns = ReturnType<typeof createCountRuns>;
export type RunCounts = { buckets: BucketRow[]; workflowNames: Map<string, string> };

/** How many runs were accepted in each bucket between the edges, and by what they can be told apart. */
export function createCountRuns({ db }: { db: Database }) {
  return async (organizationId: string, edges: Date[]): Promise<RunCounts> => {
    const buckets = await countByBucket(db, { organizationId, edges: edges.map(lowestIdAt) });
    const ids = [...new Set(buckets.map(({ workflowId }) => workflowId))];
    const names = ids.length === 0 ? [] : await findWorkflowNames(db, organizationId, ids);
    return { buckets, workflowNames: new Map(names.map(({ id, name }) => [id, name])) };
  };
}
