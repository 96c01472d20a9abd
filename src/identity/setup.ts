import { Refusal } from "../base/refusal.ts";
import { isSameText } from "../base/same-text.ts";
import type { Database } from "../storage/database.ts";
import type { Accounts, NewAccount } from "./accounts.ts";
import type { Organizations } from "./organizations.ts";
import { hasAnyUser, identityTables, tryLockSetup } from "./store.ts";
import type { SetupState } from "./wire.ts";

export type NewOwner = NewAccount & { organizationName: string };

type Options = { db: Database; accounts: Accounts; organizations: Organizations; setupToken: string | undefined };

/** The first account of an installation. Afterwards people join by invitation, or sign up where that is open. */
export function createSetup({ db, accounts, organizations, setupToken }: Options) {
  const tables = identityTables(db);

  async function createOwner({ organizationName, ...account }: NewOwner) {
    const { userId } = await accounts.create(account);
    const organization = await organizations.create(organizationName, userId);
    return { userId, organizationId: organization.id };
  }

  return {
    createOwner,

    async state(): Promise<SetupState> {
      return { needed: !(await hasAnyUser(tables)), setupTokenRequired: setupToken !== undefined };
    },

    async createFirst(owner: NewOwner, token: string | undefined) {
      if (setupToken !== undefined && !isSameText(token ?? "", setupToken))
        throw new Refusal("setup_token_invalid", "The setup token is wrong. It is printed on the server's console.", {
          errors: [{ pointer: "/setupToken", detail: "is not the token printed on the console" }],
        });
      return await tables.transaction().execute(async (transaction) => {
        if (!(await tryLockSetup(transaction)) || (await hasAnyUser(tables)))
          throw new Refusal("setup_done", "The first account exists already. Sign in instead.");
        return await createOwner(owner);
      });
    },
  };
}
