import type { Generated, Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { OAuthScope } from "./wire.ts";

type OAuthTables = {
  oauth_client: {
    id: string;
    kind: "registered" | "metadata_document";
    metadata: string;
    created_at: Generated<Date>;
    last_used_at: Date | null;
  };
  oauth_connection: {
    id: string;
    user_id: string;
    organization_id: string;
    client_id: string;
    client_name: string;
    client_host: string | null;
    resource: string;
    server_id: string;
    scopes: OAuthScope[];
    credential_type: string | null;
    credential_id: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
    last_used_at: Date | null;
  };
  oauth_token: { model: string; id_sha256: Buffer; connection_id: string | null; expires_at: Date };
  consent_ticket: {
    ticket_sha256: Buffer;
    interaction_sha256: Buffer;
    user_id: string;
    decision: string;
    expires_at: Date;
  };
  app_user: { id: string; name: string; email: string };
};

export type OAuthDb = Kysely<OAuthTables>;
export type ClientRow = Pick<Selectable<OAuthTables["oauth_client"]>, "id" | "kind" | "metadata">;
export type ConnectionRow = Selectable<OAuthTables["oauth_connection"]>;

export const oauthTables = (db: Database): OAuthDb => db.tables<OAuthTables>();

const afterSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

// Clients

export const saveClient = (db: OAuthDb, { id, kind, metadata }: ClientRow) =>
  db
    .insertInto("oauth_client")
    .values({ id, kind, metadata })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ metadata }))
    .execute();

const clientById = { name: "oauth_client_find", text: "SELECT id, kind, metadata FROM oauth_client WHERE id = $1" };

export const findClient = async (db: Database, id: string): Promise<ClientRow | undefined> =>
  (await db.prepared<ClientRow>(clientById, [id]))[0];

export const touchClients = (db: OAuthDb, ids: string[]) =>
  db.updateTable("oauth_client").set({ last_used_at: sql<Date>`now()` }).where("id", "in", ids).execute();

// Connections

export type NewConnection = Omit<ConnectionRow, "created_at" | "expires_at" | "last_used_at">;

export const insertConnection = (db: OAuthDb, row: NewConnection, lifetimeSeconds: number) =>
  db
    .insertInto("oauth_connection")
    .values({ ...row, expires_at: afterSeconds(lifetimeSeconds) })
    .execute();

const connectionById = { name: "oauth_connection_find", text: "SELECT * FROM oauth_connection WHERE id = $1" };

export const findConnection = async (db: Database, id: string): Promise<ConnectionRow | undefined> =>
  (await db.prepared<ConnectionRow>(connectionById, [id]))[0];

/** Those with a token that still works: a client that never fetched one, or let it expire, is not connected. */
export const listConnections = (db: OAuthDb, organizationId: string, userId: string | undefined) =>
  db
    .selectFrom("oauth_connection")
    .innerJoin("app_user", "app_user.id", "oauth_connection.user_id")
    .selectAll("oauth_connection")
    .select(["app_user.name as user_name", "app_user.email as user_email"])
    .where("organization_id", "=", organizationId)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId as string))
    .where("oauth_connection.expires_at", ">", sql<Date>`now()`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("oauth_token")
          .select("model")
          .whereRef("connection_id", "=", "oauth_connection.id")
          .where("model", "in", ["AccessToken", "RefreshToken"])
          .where("oauth_token.expires_at", ">", sql<Date>`now()`),
      ),
    )
    .orderBy("oauth_connection.created_at", "desc")
    .orderBy("oauth_connection.id", "desc")
    .execute();

/** Without a user: anybody's in the organization. */
export async function deleteConnection(
  db: OAuthDb,
  id: string,
  owner: { organizationId: string; userId: string | undefined },
) {
  const query = db
    .deleteFrom("oauth_connection")
    .where("id", "=", id)
    .where("organization_id", "=", owner.organizationId)
    .$if(owner.userId !== undefined, (delete_) => delete_.where("user_id", "=", owner.userId as string));
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** For the authorization server, which knows a connection only by its id. */
export const endConnection = (db: OAuthDb, id: string) =>
  db.deleteFrom("oauth_connection").where("id", "=", id).execute();

export const touchConnections = (db: OAuthDb, ids: string[]) =>
  db.updateTable("oauth_connection").set({ last_used_at: sql<Date>`now()` }).where("id", "in", ids).execute();

// Decisions

type Ticket = { hash: Buffer; interactionHash: Buffer; userId: string; decision: string };

export const insertTicket = (
  db: OAuthDb,
  { hash, interactionHash, userId, decision }: Ticket,
  lifetimeSeconds: number,
) =>
  db
    .insertInto("consent_ticket")
    .values({
      ticket_sha256: hash,
      interaction_sha256: interactionHash,
      user_id: userId,
      decision,
      expires_at: afterSeconds(lifetimeSeconds),
    })
    .execute();

/** Ends it, so that nobody can take it twice. */
export const takeTicket = (db: OAuthDb, hash: Buffer, interactionHash: Buffer) =>
  db
    .deleteFrom("consent_ticket")
    .where("ticket_sha256", "=", hash)
    .where("interaction_sha256", "=", interactionHash)
    .returning(["user_id", "decision", sql<boolean>`expires_at <= now()`.as("is_expired")])
    .executeTakeFirst();
