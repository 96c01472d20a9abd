import type { LiveEvent, LiveSource } from "../records/live.ts";
import type { Database } from "../storage/database.ts";
import { toEntry } from "./list-calls.ts";
import { type ChangedRow, findCalls, historyTables, listChanges } from "./list-store.ts";

export const toolCallKind = "tool-call";

export function createToolCallSource({ db }: { db: Database }): LiveSource {
  const tables = historyTables(db);
  return {
    find: async (organizationId, ids) => (await findCalls(tables, organizationId, ids)).map(toEvent),

    listChanged: async (organizationId, sinceMicroseconds, limit) =>
      await listChanges(tables, { organizationId, sinceMicroseconds, limit }),
  };
}

function toEvent({ changedAt, ...row }: ChangedRow): LiveEvent {
  return { kind: toolCallKind, id: row.id, version: changedAt, data: toEntry(row) };
}
