import type { Database, Sql, Statement } from "../storage/database.ts";

// People, their passwords and their sessions. Whether a session or a link has ended is judged by the clock of the database alone.

export type NewUser = { id: string; name: string; email: string; passwordId: string; passwordHash: string };

const insertUserStatement: Statement = {
  name: "user_insert",
  text: `WITH added AS (
           INSERT INTO app_user (id, name, email) VALUES ($1, $2, $3) ON CONFLICT (email) DO NOTHING RETURNING id
         )
         INSERT INTO account (id, account_id, provider_id, user_id, password) SELECT $4, id::text, 'credential', id, $5 FROM added
         RETURNING user_id`,
};

/** False where the e-mail address has an account already. */
export const insertUser = async (
  db: Database,
  { id, name, email, passwordId, passwordHash }: NewUser,
): Promise<boolean> => (await db.prepared(insertUserStatement, [id, name, email, passwordId, passwordHash])).length > 0;

const passwordStatement: Statement = {
  name: "user_password",
  text: `SELECT app_user.id AS "userId", account.password AS "passwordHash" FROM app_user
         JOIN account ON account.user_id = app_user.id AND account.provider_id = 'credential'
         WHERE app_user.email = $1 OR app_user.id = $2`,
};

export type StoredPassword = { userId: string; passwordHash: string };

/** Of a person who is named by e-mail address or by id. */
export async function findPassword(db: Database, { email, userId }: { email?: string; userId?: string }) {
  const [found] = await db.prepared<StoredPassword>(passwordStatement, [email ?? null, userId ?? null]);
  return found;
}

const stillStatement: Statement = {
  name: "user_still_has_password",
  text: "SELECT id FROM account WHERE user_id = $1 AND provider_id = 'credential' AND password = $2 FOR SHARE",
};

/** Whether nobody has changed it since it was read; until the transaction ends nobody does. */
export const isStillPassword = async (sql: Sql, { userId, passwordHash }: StoredPassword): Promise<boolean> =>
  (await sql(stillStatement, [userId, passwordHash])).length > 0;

const setPasswordStatement: Statement = {
  name: "user_set_password",
  text: "UPDATE account SET password = $2, updated_at = now() WHERE user_id = $1 AND provider_id = 'credential'",
};
const endSessionsStatement: Statement = { name: "sessions_end_all", text: "DELETE FROM session WHERE user_id = $1" };
const removeLinksStatement: Statement = {
  name: "reset_links_remove",
  text: "DELETE FROM verification WHERE value = $1",
};

/** Whoever else was signed in is not any more, and no link that was asked for before changes the password again. */
export async function replacePassword(sql: Sql, { userId, passwordHash }: StoredPassword): Promise<void> {
  await sql(setPasswordStatement, [userId, passwordHash]);
  await sql(endSessionsStatement, [userId]);
  await sql(removeLinksStatement, [userId]);
}

export const renameUser = (db: Database, userId: string, name: string) =>
  db.prepared({ name: "user_rename", text: "UPDATE app_user SET name = $2, updated_at = now() WHERE id = $1" }, [
    userId,
    name,
  ]);

export type NewSession = { id: string; token: string; userId: string; address: string; userAgent: string | undefined };

// What has ended of the same person goes with it; nobody else looks for it.
const insertSessionStatement: Statement = {
  name: "session_insert",
  text: `WITH ended AS (DELETE FROM session WHERE user_id = $3 AND expires_at <= now())
         INSERT INTO session (id, token, user_id, expires_at, ip_address, user_agent) VALUES ($1, $2, $3, now() + interval '7 days', $4, $5)`,
};

export const insertSession = (sql: Sql, { id, token, userId, address, userAgent }: NewSession) =>
  sql(insertSessionStatement, [id, token, userId, address, userAgent ?? null]);

const renewStatement: Statement = {
  name: "session_renew",
  text: "UPDATE session SET expires_at = now() + interval '7 days', updated_at = now() WHERE token = $1 AND expires_at > now() RETURNING id",
};

export const renewSession = async (db: Database, token: string): Promise<boolean> =>
  (await db.prepared(renewStatement, [token])).length > 0;

export const endSession = (db: Database, token: string) =>
  db.prepared({ name: "session_end", text: "DELETE FROM session WHERE token = $1" }, [token]);

const insertLinkStatement: Statement = {
  name: "reset_link_insert",
  text: `WITH ended AS (DELETE FROM verification WHERE expires_at <= now())
         INSERT INTO verification (id, identifier, value, expires_at) VALUES ($1, $2, $3, now() + interval '1 hour')`,
};

/** Only the hash of a link is kept. */
export type ResetLink = { id: string; hash: string; userId: string };

export const insertResetLink = (db: Database, { id, hash, userId }: ResetLink) =>
  db.prepared(insertLinkStatement, [id, hash, userId]);

const findLinkStatement: Statement = {
  name: "reset_link_find",
  text: "SELECT id FROM verification WHERE identifier = $1 AND expires_at > now()",
};

export const isResetLink = async (db: Database, hash: string): Promise<boolean> =>
  (await db.prepared(findLinkStatement, [hash])).length > 0;

const useLinkStatement: Statement = {
  name: "reset_link_use",
  text: `DELETE FROM verification WHERE identifier = $1 AND expires_at > now() RETURNING value AS "userId"`,
};

/** Whose password it may change, once. */
export const useResetLink = async (sql: Sql, hash: string): Promise<string | undefined> =>
  (await sql<{ userId: string }>(useLinkStatement, [hash]))[0]?.userId;
