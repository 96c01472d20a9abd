import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { deleteSession, deleteSessionsExcept, identityTables, listSessions } from "./store.ts";
import type { SessionEntry } from "./wire.ts";

/** Where a person is signed in. Sessions are named by id here; their tokens stay in the cookie. */
export function createSessions({ db }: { db: Database }) {
  const tables = identityTables(db);
  return {
    async list(userId: string, currentSessionId: string): Promise<SessionEntry[]> {
      return (await listSessions(tables, userId)).map((row) => ({
        id: row.id,
        current: row.id === currentSessionId,
        createdAt: row.created_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
        ipAddress: row.ip_address || null,
        userAgent: row.user_agent || null,
      }));
    },

    async end(userId: string, sessionId: string): Promise<void> {
      if (!(await deleteSession(tables, userId, sessionId)))
        throw new Refusal("not_found", "There is no such session.");
    },

    endOthers: (userId: string, currentSessionId: string) => deleteSessionsExcept(tables, userId, currentSessionId),

    endAll: (userId: string) => deleteSessionsExcept(tables, userId, null),
  };
}
