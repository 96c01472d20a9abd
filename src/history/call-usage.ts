import { lowestIdAt } from "../records/time-of-id.ts";
import type { Database } from "../storage/database.ts";
import { type BucketRow, countByBucket, countByTool, findKeyNames, type ToolRow } from "./usage-store.ts";

export type CountCalls = ReturnType<typeof createCountCalls>;
export type CallCounts = { buckets: BucketRow[]; tools: ToolRow[]; keyNames: Map<string, string> };

/** How many calls arrived in each bucket between the edges, and by what they can be told apart. */
export function createCountCalls({ db }: { db: Database }) {
  return async (organizationId: string, edges: Date[]): Promise<CallCounts> => {
    const period = { organizationId, edges: edges.map(lowestIdAt) };
    const buckets = await countByBucket(db, period);
    const tools = await countByTool(db, period);
    const keyIds = [...new Set(buckets.flatMap(({ apiKeyId }) => apiKeyId ?? []))];
    const names = keyIds.length === 0 ? [] : await findKeyNames(db, organizationId, keyIds);
    return { buckets, tools, keyNames: new Map(names.map(({ id, name }) => [id, name ?? ""])) };
  };
}
