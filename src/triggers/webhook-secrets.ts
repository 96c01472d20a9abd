import { createHash, randomBytes } from "node:crypto";
import { isSameBytes } from "../base/same-text.ts";
import type { CredentialData } from "../contract/credential.ts";
import type { Provider } from "../contract/provider.ts";
import type { Webhook } from "../contract/webhook.ts";
import { toReference } from "../vault/reference.ts";
import type { Vault } from "../vault/vault.ts";
import { newSigningSecret } from "./standard-webhook.ts";
import type { Place, TriggerRow } from "./store.ts";

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

type Options = {
  vault: Pick<Vault, "check" | "readStored" | "seal">;
  providers: readonly Provider[];
  platformBaseUrl: string;
};

/** What deliveries are believed by: the token in the address, and the secret that a sender signs with. */
export function createWebhookSecrets({ vault, providers, platformBaseUrl }: Options) {
  return {
    /**
     * A new address, and a signing secret where the webhook has one of its own. `shown` is told once, `row` is kept; and so is `address`, of a
     * webhook whose deliveries are signed in whatever way.
     */
    make({ organizationId, triggerId }: Place, { hasSecret, isSigned }: { hasSecret: boolean; isSigned: boolean }) {
      const token = randomBytes(32).toString("base64url");
      const signingSecret = hasSecret ? newSigningSecret() : null;
      const seal = (text: string) => vault.seal.seal(text, { organizationId, credentialId: triggerId });
      return {
        address: isSigned ? seal(token) : null,
        row: { token_sha256: hashToken(token), secret_sealed: signingSecret === null ? null : seal(signingSecret) },
        shown: { webhookUrl: `${platformBaseUrl}/webhooks/${triggerId}/${token}`, signingSecret },
      };
    },

    /** A new address and secret that only the provider is told. `row` is kept. */
    makeRegistered({ organizationId, triggerId }: Place) {
      const [token, secret] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
      const seal = (text: string) => vault.seal.seal(text, { organizationId, credentialId: triggerId });
      return {
        token,
        secret,
        seal,
        url: `${platformBaseUrl}/webhooks/${triggerId}/${token}`,
        row: { token_sha256: hashToken(token), secret_sealed: seal(secret) },
      };
    },

    urlStartOf: (triggerId: string): string => `${platformBaseUrl}/webhooks/${triggerId}/`,

    /** Whether an address is the one with the token. */
    isAddress(url: string, { id, token_sha256 }: Pick<TriggerRow, "id" | "token_sha256">): boolean {
      const urlStart = `${platformBaseUrl}/webhooks/${id}/`;
      return (
        token_sha256 !== null &&
        url.startsWith(urlStart) &&
        isSameBytes(hashToken(url.slice(urlStart.length)), token_sha256)
      );
    },

    open: ({ organization_id, id }: TriggerRow, sealed: Buffer): string =>
      vault.seal.open(sealed, { organizationId: organization_id, credentialId: id }),

    findWebhookOf: (providerId: string): Webhook | undefined =>
      providers.find(({ id }) => id === providerId)?.webhook ?? undefined,

    /** Refuses a credential that is somebody else's or of another type. */
    async readCredential(organizationId: string, providerId: string, credentialId: string): Promise<CredentialData> {
      const type = providers.find(({ id }) => id === providerId)?.credential?.type ?? "";
      const [checked] = await vault.check(organizationId, { [type]: toReference(credentialId) }, [type]);
      return checked ? vault.readStored(checked) : {};
    },
  };
}

export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

export function signingSecretOf({ secretField }: Webhook, credential: CredentialData): string | undefined {
  const secret = credential[secretField];
  return typeof secret === "string" && secret !== "" ? secret : undefined;
}
