import type { Database } from "../storage/database.ts";

// Each removes at most `limit` rows and says how many. What another process is removing just now is left to it.

const batch = (table: string, key: string, condition: string) =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1`;

const statements = {
  tokens: batch("oauth_token", "model, id_sha256", "expires_at < now()"),
  tickets: batch("consent_ticket", "ticket_sha256", "expires_at < now()"),
  connections: batch(
    "oauth_connection",
    "id",
    `expires_at < now() OR (created_at < now() - interval '1 hour'
       AND NOT EXISTS (SELECT 1 FROM oauth_token WHERE connection_id = oauth_connection.id AND expires_at > now()))`,
  ),
  clients: batch(
    "oauth_client",
    "id",
    `NOT EXISTS (SELECT 1 FROM oauth_connection WHERE client_id = oauth_client.id)
       AND (last_used_at < now() - interval '90 days' OR (last_used_at IS NULL AND created_at < now() - interval '24 hours'))`,
  ),
};

export type Leftovers = keyof typeof statements;
/** In this order: a connection ends with its tokens, and a client with its connections. */
export const leftovers = Object.keys(statements) as Leftovers[];

export const removeLeftovers = async (db: Database, kind: Leftovers, limit: number): Promise<number> =>
  (await db.prepared({ name: `oauth_remove_${kind}`, text: statements[kind] }, [limit])).length;
