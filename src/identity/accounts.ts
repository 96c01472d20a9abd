import { createBatch } from "../base/batch.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { UserCaller } from "../door/caller.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { findPassword, insertUser, renameUser, renewSession, replacePassword } from "./account-store.ts";
import { createEntrance, type Entered, type Visitor } from "./entrance.ts";
import type { Mailer } from "./mailer.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { createPasswordResets } from "./password-resets.ts";
import { createSessionCookie } from "./session-cookie.ts";
import { findSessions, type SessionUser } from "./session-store.ts";

export type Accounts = ReturnType<typeof createAccounts>;

export type AccountOptions = {
  db: Database;
  cookieKey: Buffer;
  baseUrl: string;
  mailer: Mailer;
  hashing: PasswordHashing;
};

export type NewAccount = { name?: string | undefined; email: string; password: string };

/** Users, passwords and sessions. */
export function createAccounts(options: AccountOptions) {
  const { db, hashing } = options;
  const cookie = createSessionCookie(options);
  const lookups = createBatch<string, SessionUser | undefined>({
    maxItems: 64,
    isFatal: isDatabaseUnavailable,
    async flush(tokens) {
      const found = new Map((await findSessions(db, tokens)).map((session) => [session.token, session]));
      return tokens.map((token) => found.get(token));
    },
  });

  const { openSession, enter, enterWithPassword, leave } = createEntrance({ db, cookie });

  return {
    async create({ name, email, password }: NewAccount): Promise<{ userId: string }> {
      hashing.requireRoom();
      const address = email.toLowerCase();
      if (await findPassword(db, { email: address })) throw emailTaken();
      const user = { id: newId(), name: name ?? nameFromEmail(email), email: address, passwordId: newId() };
      if (!(await insertUser(db, { ...user, passwordHash: await hashing.hash(password) }))) throw emailTaken();
      return { userId: user.id };
    },

    enter,

    async signIn(visitor: Visitor, { email, password }: { email: string; password: string }): Promise<Entered> {
      hashing.requireRoom();
      const stored = await findPassword(db, { email });
      // How long it takes must not say whether the address has an account.
      const isRight = stored
        ? await hashing.verify({ hash: stored.passwordHash, password })
        : (await hashing.hash(password)) === "";
      const entered = stored && isRight ? await enterWithPassword(stored, visitor) : undefined;
      if (!entered) throw new Refusal("sign_in_failed", "The e-mail address or the password is wrong.");
      await leave(visitor);
      return entered;
    },

    /** The cookie that takes the session's place in the browser. */
    async signOut(visitor: Pick<Visitor, "cookies">): Promise<string> {
      await leave(visitor);
      return cookie.writeEmpty();
    },

    /** Who a request comes from, and a fresh cookie where the session was prolonged. */
    async authenticate({
      cookies,
    }: Pick<Visitor, "cookies">): Promise<{ user: UserCaller; cookie: string | undefined }> {
      const token = cookie.read(cookies);
      const session = token === undefined ? undefined : await lookups.add(token);
      if (token === undefined || !session) throw new Refusal("not_signed_in", "Sign in first.");
      const { token: _, isOld, ...user } = session;
      if (!isOld) return { user, cookie: undefined };
      // Whoever ended it meanwhile has the last word.
      if (!(await renewSession(db, token))) throw new Refusal("not_signed_in", "Sign in first.");
      return { user, cookie: cookie.write(token) };
    },

    rename: (userId: string, name: string) => renameUser(db, userId, name),

    /** Ends every session of the person and gives the cookie of a new one. */
    async changePassword(
      userId: string,
      { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
      visitor: Visitor,
    ): Promise<string> {
      hashing.requireRoom();
      const stored = await findPassword(db, { userId });
      if (!stored || !(await hashing.verify({ hash: stored.passwordHash, password: currentPassword })))
        throw wrongPassword();
      const passwordHash = await hashing.hash(newPassword);
      return await db.transaction(async (sql) => {
        await replacePassword(sql, { userId, passwordHash });
        return (await openSession(sql, userId, visitor)).cookie;
      });
    },

    ...createPasswordResets(options),
  };
}

const nameFromEmail = (email: string): string => email.split("@", 1)[0] || email;

const emailTaken = () =>
  new Refusal("email_taken", "An account with this e-mail address exists already.", {
    errors: [{ pointer: "/email", detail: "has an account already" }],
  });

const wrongPassword = () =>
  new Refusal("validation_failed", "The current password is wrong.", {
    errors: [{ pointer: "/currentPassword", detail: "is not the current password" }],
  });
