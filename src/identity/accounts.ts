import { createBatch } from "../base/batch.ts";
import { Refusal } from "../base/refusal.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import type { AccountOptions, openAuth } from "./open-auth.ts";
import { createPasswordResets } from "./password-resets.ts";
import { createReadSessionToken } from "./session-cookie.ts";
import { findSessions, type SessionUser } from "./session-store.ts";
import { deleteResetLinks, identityTables } from "./store.ts";

export type Accounts = ReturnType<typeof createAccounts>;

/** An answer together with the cookies better-auth wants the browser to keep. */
type WithCookies<Value> = { value: Value; cookies: string[] };

/** Users, passwords and sessions: better-auth, kept behind this file and only loaded where somebody signs in. */
export function createAccounts(options: AccountOptions) {
  let opened: Promise<ReturnType<typeof openAuth>> | undefined;
  const open = () => (opened ??= import("./open-auth.ts").then((module) => module.openAuth(options)));
  type Ask = Awaited<ReturnType<typeof open>>["ask"];
  const answered: Ask = async (call) => (await open()).ask(call);
  const hashed: Ask = async (call) => {
    options.hashing.requireRoom();
    return await answered(call);
  };

  /** The browser forgets the session it came with as soon as it has a new one, so nobody could end that any more. */
  const endReplaced = async (request: Headers): Promise<void> => void (await answered((api) => api.signOut({ headers: request })));

  const readToken = createReadSessionToken(options);
  const lookups = createBatch<string, SessionUser | undefined>({
    maxItems: 64,
    isFatal: isDatabaseUnavailable,
    async flush(tokens) {
      const found = new Map((await findSessions(options.db, tokens)).map((session) => [session.token, session]));
      return tokens.map((token) => found.get(token));
    },
  });

  /** What nearly every request of a person needs and better-auth takes long for; undefined where it has to decide. */
  async function findSession(request: Headers) {
    const token = readToken(request.get("cookie"));
    const session = token === undefined ? undefined : await lookups.add(token);
    if (!session) return undefined;
    const { token: _, ...value } = session;
    return { value, cookies: [] as string[] };
  }

  return {
    /** Before the first visitor, who would have to wait for it. */
    open,

    async create({ name, ...account }: NewAccount, request?: Headers): Promise<WithCookies<{ userId: string }>> {
      const body = { ...account, name: name ?? nameFromEmail(account.email) };
      const call = { body, ...(request ? { headers: request } : {}), returnHeaders: true } as const;
      const { headers, response } = await hashed((api) => api.signUpEmail(call));
      if (request) await endReplaced(request);
      return { value: { userId: response.user.id }, cookies: headers.getSetCookie() };
    },

    async signIn(request: Headers, credentials: { email: string; password: string }): Promise<WithCookies<{ userId: string }>> {
      const { headers, response } = await hashed((api) => api.signInEmail({ body: credentials, headers: request, returnHeaders: true }));
      await endReplaced(request);
      return { value: { userId: response.user.id }, cookies: headers.getSetCookie() };
    },

    async signOut(request: Headers): Promise<string[]> {
      const { headers } = await answered((api) => api.signOut({ headers: request, returnHeaders: true }));
      return headers.getSetCookie();
    },

    /** The session of a request, and refreshed cookies when half its life is over. */
    async authenticate(request: Headers) {
      const known = await findSession(request);
      if (known) return known;
      const { headers, response } = await answered((api) => api.getSession({ headers: request, returnHeaders: true }));
      if (!response) throw new Refusal("not_signed_in", "Sign in first.");
      const { user, session } = response;
      return {
        value: { userId: user.id, name: user.name, email: user.email, createdAt: user.createdAt, sessionId: session.id },
        cookies: headers.getSetCookie(),
      };
    },

    async rename(request: Headers, name: string): Promise<void> {
      await answered((api) => api.updateUser({ body: { name }, headers: request }));
    },

    /** Ends every other session of the user and returns the cookies of a new one. */
    async changePassword(request: Headers, change: { currentPassword: string; newPassword: string }): Promise<string[]> {
      const body = { ...change, revokeOtherSessions: true };
      const { headers, response } = await hashed((api) => api.changePassword({ body, headers: request, returnHeaders: true }));
      await deleteResetLinks(identityTables(options.db), response.user.id);
      return headers.getSetCookie();
    },

    ...createPasswordResets({ db: options.db, open, answered, hashed }),
  };
}

export type NewAccount = { name?: string | undefined; email: string; password: string };

const nameFromEmail = (email: string): string => email.split("@", 1)[0] || email;
