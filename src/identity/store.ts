import type { Generated, Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { ApiKeyScope, Role } from "./wire.ts";

type IdentityTables = {
  app_user: { id: string; name: string; email: string; created_at: Generated<Date> };
  session: {
    id: string;
    user_id: string;
    created_at: Date;
    expires_at: Date;
    ip_address: string | null;
    user_agent: string | null;
  };
  organization: { id: string; name: string; created_at: Generated<Date>; deleted_at: Date | null };
  member: { id: string; organization_id: string; user_id: string; role: Role; created_at: Generated<Date> };
  invitation: {
    id: string;
    organization_id: string;
    email: string;
    role: Role;
    token_hash: Buffer;
    invited_by: string | null;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  api_key: {
    id: string;
    organization_id: string;
    owner_type: Generated<string>;
    name: string;
    hash: Buffer;
    hint: string;
    scopes: ApiKeyScope[];
    tool_rules: string[] | null;
    created_by: string | null;
    created_at: Generated<Date>;
    regenerated_at: Date | null;
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  default_credential: { organization_id: string; api_key_id: string | null };
};

export type IdentityDb = Kysely<IdentityTables>;
export type InvitationRow = Selectable<IdentityTables["invitation"]>;
export type ApiKeyRow = Selectable<IdentityTables["api_key"]>;

export const identityTables = (db: Database): IdentityDb => db.tables<IdentityTables>();

// Sessions

export const listSessions = (db: IdentityDb, userId: string) =>
  db
    .selectFrom("session")
    .select(["id", "created_at", "expires_at", "ip_address", "user_agent"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("created_at", "desc")
    .execute();

export async function deleteSession(db: IdentityDb, userId: string, sessionId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("session")
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export const deleteSessionsExcept = (db: IdentityDb, userId: string, keptSessionId: string | null) =>
  db
    .deleteFrom("session")
    .where("user_id", "=", userId)
    .$if(keptSessionId !== null, (query) => query.where("id", "!=", keptSessionId as string))
    .execute();

// Users

export async function hasAnyUser(db: IdentityDb): Promise<boolean> {
  return (await db.selectFrom("app_user").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export const findUserByEmail = (db: IdentityDb, email: string) =>
  db.selectFrom("app_user").select(["id", "name", "email"]).where("email", "=", email).executeTakeFirst();

/** Held until the transaction ends. Does not wait: whoever comes second is refused instead of holding a connection. */
export async function tryLockSetup(transaction: IdentityDb): Promise<boolean> {
  const { rows } = await sql<{
    locked: boolean;
  }>`SELECT pg_try_advisory_xact_lock(hashtext('switchyard setup')) AS locked`.execute(transaction);
  return rows[0]?.locked === true;
}

// Organizations and members

export async function insertOrganization(
  db: IdentityDb,
  row: { id: string; name: string; memberId: string; ownerId: string },
) {
  return await db.transaction().execute(async (transaction) => {
    const { id, name } = row;
    const created = await transaction
      .insertInto("organization")
      .values({ id, name })
      .returning("created_at")
      .executeTakeFirstOrThrow();
    await insertMember(transaction, { id: row.memberId, organization_id: id, user_id: row.ownerId, role: "owner" });
    return created;
  });
}

export const insertMember = (
  db: IdentityDb,
  row: { id: string; organization_id: string; user_id: string; role: Role },
) =>
  db
    .insertInto("member")
    .values(row)
    .onConflict((conflict) => conflict.columns(["organization_id", "user_id"]).doNothing())
    .returning("id")
    .executeTakeFirst();

export const renameOrganization = (db: IdentityDb, organizationId: string, name: string) =>
  db.updateTable("organization").set({ name }).where("id", "=", organizationId).execute();

const organizationColumns = ["organization.id", "organization.name", "organization.created_at", "member.role"] as const;

export const listOrganizationsOf = (db: IdentityDb, userId: string) =>
  db
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .select(organizationColumns)
    .where("member.user_id", "=", userId)
    .where("organization.deleted_at", "is", null)
    .orderBy("organization.created_at")
    .orderBy("organization.id")
    .execute();

export const findOrganization = (db: IdentityDb, organizationId: string) =>
  db
    .selectFrom("organization")
    .select(["id", "name"])
    .where("id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();

export const listAllOrganizations = (db: IdentityDb) =>
  db
    .selectFrom("organization")
    .select(["id", "name", "created_at"])
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();

/** All members of the organization, locked, so that two owners cannot demote each other at the same moment. */
export const lockMembers = (db: IdentityDb, organizationId: string) =>
  db
    .selectFrom("member")
    .select(["id", "user_id", "role"])
    .where("organization_id", "=", organizationId)
    .orderBy("id")
    .forUpdate()
    .execute();

export const setRole = (db: IdentityDb, organizationId: string, memberId: string, role: Role) =>
  db
    .updateTable("member")
    .set({ role })
    .where("organization_id", "=", organizationId)
    .where("id", "=", memberId)
    .execute();

export const deleteMember = (db: IdentityDb, organizationId: string, memberId: string) =>
  db.deleteFrom("member").where("organization_id", "=", organizationId).where("id", "=", memberId).execute();

// Invitations

/** A new invitation for the same address replaces the one before it. */
export function upsertInvitation(
  db: IdentityDb,
  invitation: Omit<InvitationRow, "created_at" | "expires_at">,
  lifetimeDays: number,
) {
  const row = { ...invitation, expires_at: sql<Date>`now() + make_interval(days => ${lifetimeDays})` };
  return db
    .insertInto("invitation")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "email"]).doUpdateSet({ ...row, created_at: sql`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteInvitation(db: IdentityDb, organizationId: string, invitationId: string): Promise<boolean> {
  const query = db
    .deleteFrom("invitation")
    .where("organization_id", "=", organizationId)
    .where("id", "=", invitationId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** The token in the link stands in for the organization, which the invited person cannot know. */
export const findInvitation = (db: IdentityDb, invitationId: string, tokenHash: Buffer) =>
  db
    .selectFrom("invitation")
    .innerJoin("organization", "organization.id", "invitation.organization_id")
    .selectAll("invitation")
    .select("organization.name as organization_name")
    .where("invitation.id", "=", invitationId)
    .where("invitation.token_hash", "=", tokenHash)
    .where("invitation.expires_at", ">", sql<Date>`now()`)
    .where("organization.deleted_at", "is", null)
    .executeTakeFirst();
