import { lowestIdAt } from "../../records/time-of-id.ts";
import type { Database } from "../../storage/database.ts";
import { findRecentOutputs, type RecentNodes } from "./recent-outputs-store.ts";

export type ReadRecentOutputs = ReturnType<typeof createReadRecentOutputs>;

/** What nodes gave out in the last 50 runs of a workflow since a time, the newest first, with what they were given, both as JSON. */
export const createReadRecentOutputs =
  ({ db }: { db: Database }) =>
  ({ since, ...nodes }: Omit<RecentNodes, "fromId"> & { since: Date }) =>
    findRecentOutputs(db, { ...nodes, fromId: lowestIdAt(since) });
