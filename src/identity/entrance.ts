import { randomBytes } from "node:crypto";
import { newId } from "../base/ids.ts";
import type { Database, Sql } from "../storage/database.ts";
import { endSession, insertSession, isStillPassword, type StoredPassword } from "./account-store.ts";
import type { createSessionCookie } from "./session-cookie.ts";

/** What is known of who asks before anybody is signed in. */
export type Visitor = { cookies: string | undefined; address: string; userAgent: string | undefined };

export type Entered = { userId: string; cookie: string };

type Options = { db: Database; cookie: ReturnType<typeof createSessionCookie> };

/** Where sessions begin and end. */
export function createEntrance({ db, cookie }: Options) {
  async function openSession(sql: Sql, userId: string, { address, userAgent }: Visitor): Promise<Entered> {
    const token = randomBytes(24).toString("base64url");
    await insertSession(sql, { id: newId(), token, userId, address, userAgent });
    return { userId, cookie: cookie.write(token) };
  }

  /** The browser forgets the session it came with as soon as it has a new one, so nobody could end that any more. */
  async function leave({ cookies }: Pick<Visitor, "cookies">): Promise<void> {
    const token = cookie.read(cookies);
    if (token !== undefined) await endSession(db, token);
  }

  return {
    openSession,
    leave,

    async enter(userId: string, visitor: Visitor): Promise<Entered> {
      const entered = await db.transaction((sql) => openSession(sql, userId, visitor));
      await leave(visitor);
      return entered;
    },

    /** Whoever changed the password meanwhile has ended all sessions: no further one may come of the old one. */
    enterWithPassword: (stored: StoredPassword, visitor: Visitor): Promise<Entered | undefined> =>
      db.transaction(async (sql) =>
        (await isStillPassword(sql, stored)) ? await openSession(sql, stored.userId, visitor) : undefined,
      ),
  };
}
