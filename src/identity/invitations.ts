import { createHash, randomBytes } from "node:crypto";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import { type PageAsked, readPage } from "../base/time-cursor.ts";
import type { Database } from "../storage/database.ts";
import { listInvitations } from "./list-store.ts";
import type { Mailer } from "./mailer.ts";
import {
  deleteInvitation,
  findInvitation,
  findUserByEmail,
  type InvitationRow,
  identityTables,
  insertMember,
  upsertInvitation,
} from "./store.ts";
import type { CreatedInvitation, InvitationView, Role } from "./wire.ts";

const lifetimeDays = 7;

type Options = { db: Database; mailer: Mailer; baseUrl: string };

/** An invitation is bound to one e-mail address, works once, and ends after a week. Only the hash of its link is stored. */
export function createInvitations({ db, mailer, baseUrl }: Options) {
  const tables = identityTables(db);

  async function find(invitationId: string, token: string) {
    const row = await findInvitation(tables, invitationId, hashToken(token));
    if (!row) throw new Refusal("not_found", "This invitation does not exist, was used or has expired.");
    return row;
  }

  return {
    async create(
      organization: { id: string; name: string },
      request: { email: string; role: Role; invitedBy: string },
    ): Promise<CreatedInvitation> {
      const token = randomBytes(24).toString("base64url");
      const { email, role, invitedBy: invited_by } = request;
      const invitation = {
        id: newId(),
        organization_id: organization.id,
        email,
        role,
        token_hash: hashToken(token),
        invited_by,
      };
      const row = await upsertInvitation(tables, invitation, lifetimeDays);
      const link = `${baseUrl}/invitation/${row.id}?token=${token}`;
      if (mailer.isConfigured) mailer.send(invitationMail(row.email, organization.name, link));
      return { ...toWire(row), link };
    },

    async page(organizationId: string, asked: PageAsked) {
      const { rows, nextCursor } = await readPage(asked, (part) => listInvitations(tables, organizationId, part));
      return { data: rows.map(toWire), nextCursor };
    },

    async cancel(organizationId: string, invitationId: string): Promise<void> {
      if (!(await deleteInvitation(tables, organizationId, invitationId)))
        throw new Refusal("not_found", "There is no such invitation.");
    },

    async view(invitationId: string, token: string): Promise<InvitationView> {
      const row = await find(invitationId, token);
      const user = await findUserByEmail(tables, row.email);
      return {
        organizationName: row.organization_name,
        email: row.email,
        role: row.role,
        expiresAt: row.expires_at.toISOString(),
        accountExists: user !== undefined,
      };
    },

    async accept(invitationId: string, token: string, user: { id: string; email: string }): Promise<void> {
      const row = await find(invitationId, token);
      if (row.email !== user.email.toLowerCase())
        throw new Refusal(
          "invitation_not_yours",
          "This invitation is for another e-mail address. Sign in with that one.",
        );
      await tables.transaction().execute(async (transaction) => {
        if (!(await deleteInvitation(transaction, row.organization_id, row.id)))
          throw new Refusal("not_found", "This invitation does not exist, was used or has expired.");
        await insertMember(transaction, {
          id: newId(),
          organization_id: row.organization_id,
          user_id: user.id,
          role: row.role,
        });
      });
    },
  };
}

const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

const toWire = (row: Pick<InvitationRow, "id" | "email" | "role" | "created_at" | "expires_at">) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

const invitationMail = (to: string, organizationName: string, link: string) => ({
  to,
  subject: `Join ${organizationName} on Switchyard`,
  text: `You were invited to the organization ${organizationName} on Switchyard.\n\nTo accept, open this link within a week:\n${link}`,
});
