import type { Log } from "../base/log.ts";
import type { Database } from "../storage/database.ts";
import { createAccounts } from "./accounts.ts";
import { createApiKeys } from "./api-keys.ts";
import { createInvitations } from "./invitations.ts";
import { createMailer } from "./mailer.ts";
import { createOrganizations, type OrganizationCreation } from "./organizations.ts";
import { createPasswordHashing, type PasswordHashing } from "./password-hashing.ts";
import { createSessions } from "./sessions.ts";
import { createSetup } from "./setup.ts";

export type Identity = ReturnType<typeof createIdentity>;

type Options = {
  db: Database;
  log: Log;
  cookieKey: Buffer;
  /** Where the web UI is reached: cookies and links are made for it. */
  baseUrl: string;
  mail: { smtpUrl: string | undefined; from: string };
  /** What the first visitor must know, when strangers can reach the server. */
  setupToken: string | undefined;
  organizationCreation: OrganizationCreation;
  /** Threads of its own unless given. */
  hashing?: PasswordHashing | undefined;
};

/** People, organizations and API keys. */
export function createIdentity({
  db,
  log,
  cookieKey,
  baseUrl,
  mail,
  setupToken,
  organizationCreation,
  ...given
}: Options) {
  const mailer = createMailer({ ...mail, log });
  const hashing = given.hashing ?? createPasswordHashing();
  const accounts = createAccounts({ db, cookieKey, baseUrl, mailer, hashing });
  const organizations = createOrganizations({ db, creation: organizationCreation });
  const apiKeys = createApiKeys({ db, log });
  return {
    accounts,
    organizations,
    apiKeys,
    sessions: createSessions({ db }),
    invitations: createInvitations({ db, mailer, baseUrl }),
    setup: createSetup({ db, accounts, organizations, setupToken }),
    async stop() {
      await apiKeys.close();
      await hashing.close();
      await mailer.close();
    },
  };
}
