import type { Partitions } from "../records/partitions.ts";
import { createRetention, type RetentionOptions, type RetentionStore } from "../records/retention.ts";
import type { Database } from "../storage/database.ts";
import { findFirstSurplus, listRecordedOrganizations, removeOldCalls, upkeepTables } from "./upkeep-store.ts";

type Options = Omit<RetentionOptions, "store"> & { partitions: Partitions };

/** Removes ended tool calls that are too old, too many, or of a deleted organization. */
export const createCallRetention = ({ partitions, ...options }: Options) =>
  createRetention({ ...options, store: callStore(options.db, partitions) });

function callStore(db: Database, partitions: Partitions): RetentionStore {
  const tables = upkeepTables(db);
  return {
    async dropMonths(oldestKept) {
      await partitions.drop("tool_call", oldestKept);
      return partitions.beginOfMonth("tool_call", oldestKept);
    },
    listOrganizations: () => listRecordedOrganizations(tables),
    findFirstSurplus: (organizationId, keptRows) => findFirstSurplus(tables, organizationId, keptRows),
    removeOld: (removal) => removeOldCalls(tables, removal),
  };
}
