import type { LiveSource } from "../../records/live.ts";
import type { Database } from "../../storage/database.ts";
import { toEntry } from "./describe-run.ts";
import { findRuns, listChangedRuns, runTables } from "./list-store.ts";

export const runEventKind = "run";

/** Lets live streams follow runs beside tool calls. */
export function createRunSource({ db }: { db: Database }): LiveSource {
  const tables = runTables(db);
  return {
    find: async (organizationId, ids) =>
      (await findRuns(tables, organizationId, ids)).map((row) => ({
        kind: runEventKind,
        id: row.id,
        version: row.changedAt,
        data: toEntry(row),
      })),

    listChanged: async (organizationId, since, limit) =>
      await listChangedRuns(tables, { organizationId, since, limit }),
  };
}
