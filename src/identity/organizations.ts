import { createBatch } from "../base/batch.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import { type PageAsked, readPage } from "../base/time-cursor.ts";
import type { Database, Sql } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { findMember, listMembers } from "./list-store.ts";
import { markOrganizationDeleted } from "./removal-store.ts";
import { findMemberships, type MemberPlace, type MembershipRow } from "./session-store.ts";
import {
  deleteMember,
  findOrganization,
  findUserByEmail,
  identityTables,
  insertMember,
  insertOrganization,
  listAllOrganizations,
  listOrganizationsOf,
  lockMembers,
  renameOrganization,
  setRole,
} from "./store.ts";
import { type Member, type Organization, type Role, roles } from "./wire.ts";

export type Organizations = ReturnType<typeof createOrganizations>;

/** `managers`: owners and admins of any organization, and people who belong to none. */
export type OrganizationCreation = "managers" | "everyone";

// Ids in addresses may be written in capitals.
const keyOf = ({ organizationId, userId }: MemberPlace): string => `${organizationId} ${userId}`.toLowerCase();

/** Organizations and who belongs to them with which role. */
export function createOrganizations({ db, creation }: { db: Database; creation: OrganizationCreation }) {
  const tables = identityTables(db);
  const memberships = createBatch<MemberPlace, MembershipRow | undefined>({
    maxItems: 64,
    isFatal: isDatabaseUnavailable,
    async flush(places) {
      const found = new Map((await findMemberships(db, places)).map((row) => [keyOf(row), row]));
      return places.map((place) => found.get(keyOf(place)));
    },
  });

  /** Changes one member inside a transaction that sees, and keeps, all members; at least one owner must be left. */
  const changeMember = (organizationId: string, memberId: string, change: MemberChange) =>
    tables.transaction().execute(async (transaction) => {
      const members = await lockMembers(transaction, organizationId);
      requireChangeAllowed(members, memberId, change);
      if (change.newRole === null) await deleteMember(transaction, organizationId, memberId);
      else await setRole(transaction, organizationId, memberId, change.newRole);
    });

  return {
    async create(name: string, ownerId: string): Promise<Organization> {
      const id = newId();
      const { created_at } = await insertOrganization(tables, { id, name, memberId: newId(), ownerId });
      return { id, name, role: "owner", createdAt: created_at.toISOString() };
    },

    /** For people; operators create what they like. */
    mayCreate: (memberships: { role: Role }[]): boolean =>
      creation === "everyone" ||
      memberships.length === 0 ||
      memberships.some(({ role }) => rankOf(role) >= rankOf("admin")),

    rename: (organizationId: string, name: string) => renameOrganization(tables, organizationId, name),

    /** In a transaction of the caller, who ends its runs in the same. Its rows are removed later. */
    async markDeleted(sql: Sql, organizationId: string): Promise<void> {
      if (!(await markOrganizationDeleted(sql, organizationId)))
        throw new Refusal("not_found", "There is no such organization.");
    },

    async exists(organizationId: string): Promise<boolean> {
      return (await findOrganization(tables, organizationId)) !== undefined;
    },

    /** For operators: every organization of the installation. */
    async listAll() {
      return (await listAllOrganizations(tables)).map(({ id, name, created_at }) => ({
        id,
        name,
        createdAt: created_at.toISOString(),
      }));
    },

    async listOf(userId: string): Promise<{ id: string; name: string; role: Role }[]> {
      return (await listOrganizationsOf(tables, userId)).map(({ id, name, role }) => ({ id, name, role }));
    },

    /** The role of a user, or undefined when the organization is unknown or foreign: callers must not tell the two apart. */
    async membership(organizationId: string, userId: string) {
      const row = await memberships.add({ organizationId, userId });
      if (!row) return undefined;
      const { id, name, role, memberId, createdAt } = row;
      return { memberId, organization: { id, name, role, createdAt: createdAt.toISOString() } satisfies Organization };
    },

    /** Who a user is in an organization; undefined where it is not theirs. */
    member: (organizationId: string, userId: string): Promise<{ name: string; email: string } | undefined> =>
      findMember(tables, organizationId, userId),

    /** For operators: all of them. */
    async members(organizationId: string): Promise<Member[]> {
      return (await listMembers(tables, organizationId)).map(toMember);
    },

    async pageOfMembers(
      organizationId: string,
      asked: PageAsked,
    ): Promise<{ data: Member[]; nextCursor: string | null }> {
      const { rows, nextCursor } = await readPage(asked, (part) => listMembers(tables, organizationId, part));
      return { data: rows.map(toMember), nextCursor };
    },

    /** For operators: puts an existing account into an organization. */
    async addMember(organizationId: string, email: string, role: Role): Promise<{ id: string }> {
      const user = await findUserByEmail(tables, email);
      if (!user) throw new Refusal("not_found", "There is no account with this e-mail address.");
      const row = await insertMember(tables, { id: newId(), organization_id: organizationId, user_id: user.id, role });
      if (!row) throw new Refusal("conflict", "This account is a member already.");
      return row;
    },

    setRole: (organizationId: string, memberId: string, { role, ...actor }: Actor & { role: Role }) =>
      changeMember(organizationId, memberId, { actor, newRole: role }),

    removeMember: (organizationId: string, memberId: string, actor: Actor) =>
      changeMember(organizationId, memberId, { actor, newRole: null }),
  };
}

type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

const toMember = ({ id, user_id, name, email, role, created_at }: MemberRow): Member => ({
  id,
  userId: user_id,
  name,
  email,
  role,
  createdAt: created_at.toISOString(),
});

/** A member, or an operator who acts with a role but is none. */
type Actor = { actorId: string } | { actorRole: Role };
type MemberChange = { actor: Actor; newRole: Role | null };
type LockedMembers = { id: string; role: Role }[];

function requireChangeAllowed(members: LockedMembers, memberId: string, { actor, newRole }: MemberChange): void {
  const actorRole = currentRoleOf(actor, members);
  const member = members.find(({ id }) => id === memberId);
  if (!member) throw new Refusal("not_found", "There is no such member.");
  const isOwnMembership = "actorId" in actor && actor.actorId === memberId;
  requireRankFor(actorRole, isOwnMembership ? null : "admin", member.role, newRole);
  const isLastOwner = member.role === "owner" && members.filter(({ role }) => role === "owner").length === 1;
  if (isLastOwner && newRole !== "owner") throw new Refusal("last_owner", "An organization needs at least one owner.");
}

// The role of a member is read again under the lock: it may have been taken away while the request was waiting.
function currentRoleOf(actor: Actor, members: LockedMembers): Role {
  if ("actorRole" in actor) return actor.actorRole;
  const member = members.find(({ id }) => id === actor.actorId);
  if (!member) throw new Refusal("not_found", "There is no such organization.");
  return member.role;
}

/** Owner is 3, viewer is 0. */
export const rankOf = (role: Role): number => roles.length - 1 - roles.indexOf(role);

/** Nobody acts on, or hands out, more than they have themselves. */
export function requireRankFor(actorRole: Role, ...needed: (Role | null)[]): void {
  if (needed.some((role) => role !== null && rankOf(role) > rankOf(actorRole)))
    throw new Refusal("role_required", "Your role does not allow this.");
}
