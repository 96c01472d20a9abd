import { Refusal } from "../base/refusal.ts";
import { rankOf } from "../identity/organizations.ts";
import type { Role } from "../identity/wire.ts";
import type { Database } from "../storage/database.ts";
import { type ConnectionRow, deleteConnection, listConnections, oauthTables } from "./store.ts";
import type { Connection } from "./wire.ts";

export type Connections = ReturnType<typeof createConnections>;

type Viewer = { organizationId: string; userId: string; role: Role };

/** The clients that may act on an organization. Everybody sees and ends their own, admins those of all members. */
export function createConnections({ db }: { db: Database }) {
  const tables = oauthTables(db);
  const scopeOf = ({ userId, role }: Viewer) => (rankOf(role) >= rankOf("admin") ? undefined : userId);
  return {
    async list(viewer: Viewer): Promise<Connection[]> {
      return (await listConnections(tables, viewer.organizationId, scopeOf(viewer))).map(toWire);
    },

    /** Its tokens end in the same moment, in every process. */
    async end(viewer: Viewer, connectionId: string): Promise<void> {
      const owner = { organizationId: viewer.organizationId, userId: scopeOf(viewer) };
      if (!(await deleteConnection(tables, connectionId, owner)))
        throw new Refusal("not_found", "There is no such connection.");
    },
  };
}

const toWire = (row: ConnectionRow & { user_name: string; user_email: string }): Connection => ({
  id: row.id,
  clientName: row.client_name,
  clientHost: row.client_host,
  serverId: row.server_id,
  scopes: row.scopes,
  credentialId: row.credential_id,
  user: { id: row.user_id, name: row.user_name, email: row.user_email },
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
