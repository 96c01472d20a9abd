import { Refusal } from "../base/refusal.ts";
import { toReference } from "../vault/reference.ts";
import type { Vault } from "../vault/vault.ts";
import type { ResourceServer } from "./resources.ts";
import type { ConsentAccount } from "./wire.ts";

export type ConsentAccounts = ReturnType<typeof createConsentAccounts>;

/** What a client's calls use when they name no account; null: the organization's default at the time of a call. */
export type ChosenAccount = { type: string; id: string } | null;

/** Which accounts a person can let a client use. */
export function createConsentAccounts({
  credentials,
  defaults,
  check,
}: Pick<Vault, "credentials" | "defaults" | "check">) {
  return {
    /** Those of an organization that tools of the servers take. */
    async list(organizationId: string, servers: readonly ResourceServer[]): Promise<ConsentAccount[]> {
      const types = new Set(servers.map(({ credentialType }) => credentialType));
      const [summaries, chosen] = await Promise.all([credentials.list(organizationId), defaults.list(organizationId)]);
      const usual = new Set(chosen.filter(({ apiKeyId }) => apiKeyId === null).map(({ credentialId }) => credentialId));
      return summaries
        .filter(({ type }) => types.has(type))
        .map(({ id, name, type, health }) => ({ id, name, type, health, isDefault: usual.has(id) }));
    },

    /** Owner, then type, as for every use of an account. */
    async choose(
      organizationId: string,
      { credentialType }: ResourceServer,
      credentialId: string | undefined,
    ): Promise<ChosenAccount> {
      if (credentialId === undefined) return null;
      if (credentialType === null) throw invalid("/credentialId", "is not for this server, whose tools use no account");
      await check(organizationId, { [credentialType]: toReference(credentialId) }, [credentialType]);
      return { type: credentialType, id: credentialId };
    },
  };
}

export const toColumns = (account: ChosenAccount) => ({
  credential_type: account?.type ?? null,
  credential_id: account?.id ?? null,
});

export const invalid = (pointer: string, detail: string) =>
  new Refusal("validation_failed", `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] });
