import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { createScrub } from "../base/scrub.ts";
import type { CredentialCall } from "../contract/credential.ts";
import type { Provider } from "../contract/provider.ts";
import type { StartCall } from "../vault/health.ts";
import type { OpenedCredential } from "../vault/open-credential.ts";
import { toReference } from "../vault/reference.ts";
import type { Vault } from "../vault/vault.ts";
import type { TriggerRow } from "./store.ts";

export type CallProvider = ReturnType<typeof createCallProvider>;

type Options = { vault: Pick<Vault, "check" | "open">; providers: readonly Provider[]; startCall: StartCall };

/** Whose account asks, how long it may take, and what else no answer may tell. */
type Account = {
  organizationId: string;
  providerId: string;
  credentialId: string;
  limitMs: number;
  secrets?: string[];
};

/** Asks a provider something for a trigger, with the account that the trigger has. What it refuses is told without the account's secrets. */
export function createCallProvider({ vault, providers, startCall }: Options) {
  return async <Value>(account: Account, ask: (call: CredentialCall) => Promise<Value>): Promise<Value> => {
    const { organizationId, providerId, credentialId, limitMs, secrets = [] } = account;
    const type = providers.find(({ id }) => id === providerId)?.credential?.type ?? "";
    const [checked] = await vault.check(organizationId, { [type]: toReference(credentialId) }, [type]);
    if (!checked) throw new Refusal("credential_not_accessible", "There is no such account.");
    let opened: OpenedCredential | undefined;
    const tooLate = () => new Refusal("outbound_timeout", `There was no answer within ${limitMs / 1000} s.`);
    try {
      return await runUnderLimit({ limitMs, tooLate }, async (signal) => {
        opened = await vault.open(checked, { signal });
        return await ask(startCall(opened, signal));
      });
    } catch (error) {
      throw error instanceof Refusal
        ? error.reworded(createScrub([...(opened?.secrets() ?? []), ...secrets]).text)
        : error;
    }
  };
}

type Asking = Pick<TriggerRow, "organization_id" | "provider_id" | "credential_id">;

export const accountOf = ({ organization_id, provider_id, credential_id }: Asking): Omit<Account, "limitMs"> => ({
  organizationId: organization_id,
  providerId: provider_id ?? "",
  credentialId: credential_id ?? "",
});
