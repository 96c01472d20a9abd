import { createHash, randomBytes } from "node:crypto";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { insertResetLink, isResetLink, replacePassword, useResetLink } from "./account-store.ts";
import type { Mailer } from "./mailer.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { findUserByEmail, identityTables } from "./store.ts";

type Options = { db: Database; baseUrl: string; mailer: Mailer; hashing: PasswordHashing };

/** The ways to a new password for somebody who does not know the old one. Each ends all sessions of the person and every other link. */
export function createPasswordResets({ db, baseUrl, mailer, hashing }: Options) {
  const findUser = (email: string) => findUserByEmail(identityTables(db), email);

  return {
    async requestPasswordReset(email: string): Promise<void> {
      const user = await findUser(email);
      const token = randomBytes(24).toString("base64url");
      // How long it takes must not say whether the address has an account: nobody's link is stored, too, and sent to nobody.
      await insertResetLink(db, { id: newId(), hash: hashOf(token), userId: user?.id ?? newId() });
      if (user) mailer.send(resetMail(user.email, `${baseUrl}/reset-password?token=${token}`));
    },

    async resetPassword({ token, newPassword }: { token: string; newPassword: string }): Promise<void> {
      const hash = hashOf(token);
      // A hash is dear: nobody gets one for a link that was made up.
      if (!(await isResetLink(db, hash))) throw linkIsOver();
      hashing.requireRoom();
      const passwordHash = await hashing.hash(newPassword);
      await db.transaction(async (sql) => {
        const userId = await useResetLink(sql, hash);
        if (userId === undefined) throw linkIsOver();
        await replacePassword(sql, { userId, passwordHash });
      });
    },

    /** For whoever runs the machine, without a link. */
    async setPassword({ email, password }: { email: string; password: string }): Promise<{ userId: string }> {
      const user = await findUser(email);
      if (!user) throw new Refusal("not_found", "There is no account with this e-mail address.");
      const passwordHash = await hashing.hash(password);
      await db.transaction((sql) => replacePassword(sql, { userId: user.id, passwordHash }));
      return { userId: user.id };
    },
  };
}

const hashOf = (token: string): string => createHash("sha256").update(`reset-password:${token}`).digest("base64url");

const linkIsOver = () =>
  new Refusal("validation_failed", "This link has expired or was used already.", {
    errors: [{ pointer: "/token", detail: "has expired or was used already" }],
  });

const resetMail = (to: string, link: string) => ({
  to,
  subject: "Reset your Switchyard password",
  text: `Someone asked to reset the password of ${to}.\n\nTo choose a new one, open this link within an hour:\n${link}\n\nIf it was not you, nothing needs to be done.`,
});
