import { randomBytes } from "node:crypto";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { openAuth } from "./open-auth.ts";
import { findUserByEmail, identityTables } from "./store.ts";

type Auth = ReturnType<typeof openAuth>;
type Options = { db: Database; open: () => Promise<Auth>; answered: Auth["ask"]; hashed: Auth["ask"] };

/** The ways to a new password for somebody who does not know the old one. Each ends all sessions of the person and every other link. */
export function createPasswordResets({ db, open, answered, hashed }: Options) {
  async function resetPassword(confirmation: { token: string; newPassword: string }): Promise<void> {
    await hashed((api) => api.resetPassword({ body: confirmation }));
  }

  return {
    async requestPasswordReset(email: string): Promise<void> {
      await answered((api) => api.requestPasswordReset({ body: { email } }));
    },

    resetPassword,

    /** For whoever runs the machine, without a mail: the same reset, with a link that nobody else ever sees. */
    async setPassword({ email, password }: { email: string; password: string }): Promise<{ userId: string }> {
      const user = await findUserByEmail(identityTables(db), email);
      if (!user) throw new Refusal("not_found", "There is no account with this e-mail address.");
      const { internalAdapter } = await (await open()).auth.$context;
      const token = randomBytes(24).toString("base64url");
      const expiresAt = new Date(Date.now() + linkLifetimeMs);
      await internalAdapter.createVerificationValue({ identifier: `reset-password:${token}`, value: user.id, expiresAt });
      await resetPassword({ token, newPassword: password });
      return { userId: user.id };
    },
  };
}

/** Long enough for a hash on a busy machine; the clock of the database may also differ a little from that of the process. */
const linkLifetimeMs = 60 * 60_000;
