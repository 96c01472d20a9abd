import { AsyncLocalStorage } from "node:async_hooks";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Mailer } from "./mailer.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { sessionCookieName, sessionSecret } from "./session-cookie.ts";
import { deleteResetLinks, identityTables } from "./store.ts";
import { passwordLength } from "./wire.ts";

export type AccountOptions = { db: Database; cookieKey: Buffer; baseUrl: string; mailer: Mailer; hashing: PasswordHashing; log: Log };

/** better-auth with our tables, cookies and mails. `ask` turns its errors into ours. */
export function openAuth(options: AccountOptions) {
  const auth = betterAuth(createAuthOptions(options));
  return { auth, ask: <Value>(call: (api: typeof auth.api) => Promise<Value>) => answered(() => call(auth.api)) };
}

function createAuthOptions({ db, cookieKey, baseUrl, mailer, hashing, log }: AccountOptions) {
  const isHttps = baseUrl.startsWith("https://");
  return {
    appName: "Switchyard",
    baseURL: baseUrl,
    basePath: "/api/auth",
    secret: sessionSecret(cookieKey),
    database: { db: db.quickTables(), type: "postgres" },
    telemetry: { enabled: false },
    logger: {
      disabled: false,
      level: "error",
      log: (_level, message, ...details) => {
        const original = noteFailure(details);
        if (!(original instanceof Refusal)) log.error({ part: "better-auth", error: original?.message }, message);
      },
    },
    emailAndPassword: {
      enabled: true,
      autoSignIn: true,
      minPasswordLength: passwordLength.least,
      maxPasswordLength: passwordLength.most,
      password: { hash: hashing.hash, verify: hashing.verify },
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: 3600,
      onPasswordReset: async ({ user }) => void (await deleteResetLinks(identityTables(db), user.id)),
      sendResetPassword: async ({ user, token }) => mailer.send(resetMail(user.email, `${baseUrl}/reset-password?token=${token}`)),
    },
    rateLimit: { enabled: false },
    advanced: {
      useSecureCookies: false,
      // Its check runs in the background and complains when a short command ends before it; a test guards the tables instead.
      database: { generateId: () => newId(), validateSchema: false },
      cookies: {
        session_token: {
          name: sessionCookieName(baseUrl),
          attributes: { secure: isHttps, sameSite: "lax", httpOnly: true, path: "/" },
        },
      },
      ipAddress: { ipAddressHeaders: ["x-switchyard-peer"], ipv6Subnet: 128 },
    },
    user: { modelName: "app_user", fields: { emailVerified: "email_verified", ...stamps } },
    session: {
      // A view: what has ended is not there, by the clock of the database. The lifetime is also that of a trigger on the table.
      modelName: "live_session",
      expiresIn: 7 * 24 * 3600,
      updateAge: 24 * 3600,
      fields: { userId: "user_id", expiresAt: "expires_at", ipAddress: "ip_address", userAgent: "user_agent", ...stamps },
    },
    account: {
      modelName: "account",
      fields: {
        accountId: "account_id",
        providerId: "provider_id",
        userId: "user_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...stamps,
      },
    },
    verification: { modelName: "live_verification", storeIdentifier: "hashed", fields: { expiresAt: "expires_at", ...stamps } },
  } satisfies BetterAuthOptions;
}

const uniqueViolation = "23505";

const stamps = { createdAt: "created_at", updatedAt: "updated_at" };

const resetMail = (to: string, link: string) => ({
  to,
  subject: "Reset your Switchyard password",
  text: `Someone asked to reset the password of ${to}.\n\nTo choose a new one, open this link within an hour:\n${link}\n\nIf it was not you, nothing needs to be done.`,
});

const refusals: Record<string, () => Refusal> = {
  INVALID_EMAIL_OR_PASSWORD: () => new Refusal("sign_in_failed", "The e-mail address or the password is wrong."),
  USER_ALREADY_EXISTS: emailTaken,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: emailTaken,
  INVALID_PASSWORD: () =>
    new Refusal("validation_failed", "The current password is wrong.", {
      errors: [{ pointer: "/currentPassword", detail: "is not the current password" }],
    }),
  INVALID_TOKEN: () =>
    new Refusal("validation_failed", "This link has expired or was used already.", {
      errors: [{ pointer: "/token", detail: "has expired or was used already" }],
    }),
};

function emailTaken(): Refusal {
  return new Refusal("email_taken", "An account with this e-mail address exists already.", {
    errors: [{ pointer: "/email", detail: "has an account already" }],
  });
}

// better-auth puts errors of its own in the place of database errors and hands the original only to the logger.
const failureUnderWay = new AsyncLocalStorage<{ original?: Error }>();

function noteFailure(details: unknown[]): Error | undefined {
  const underWay = failureUnderWay.getStore();
  const original = details.find((detail) => detail instanceof Error);
  if (underWay && original) underWay.original = original;
  return original;
}

const answered = <Value>(call: () => Promise<Value>): Promise<Value> => failureUnderWay.run({}, () => refusedOrFailed(call));

async function refusedOrFailed<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    const original: (Error & { code?: string }) | undefined = failureUnderWay.getStore()?.original;
    if (original?.code === uniqueViolation) throw emailTaken();
    if (original) throw original;
    if (!(error instanceof APIError)) throw error;
    const refusal = refusals[String(error.body?.code)]?.();
    if (refusal) throw refusal;
    if (error.statusCode === 401) throw new Refusal("not_signed_in", "Sign in first.", { cause: error });
    throw error;
  }
}
