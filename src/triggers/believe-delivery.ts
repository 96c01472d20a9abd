import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { CredentialData } from "../contract/credential.ts";
import type { Webhook, WebhookRequest, WebhookVerdict } from "../contract/webhook.ts";
import { verifyStandardWebhook } from "./standard-webhook.ts";
import type { WebhookRow } from "./store.ts";
import { signingSecretOf, type WebhookSecrets } from "./webhook-secrets.ts";

export type BelieveDelivery = ReturnType<typeof createBelieveDelivery>;

/** Who signed, and with which account, where that is a provider. */
export type Signer = { webhook: Webhook; credential: CredentialData };

type Signed = { verdict: WebhookVerdict; signer?: Signer };

const refuse = (reason: string): Signed => ({ verdict: { accepted: false, reason } });

/** Whether a delivery is really from its sender. What cannot be checked is not believed, and the sender learns no more than that. */
export function createBelieveDelivery({ log, secrets }: { log: Log; secrets: WebhookSecrets }) {
  async function verify(row: WebhookRow, request: WebhookRequest): Promise<Signed> {
    if (row.provider_id !== null) return await verifyAsProvider(row, row.provider_id, request);
    if (row.secret_sealed === null)
      return { verdict: { accepted: true, event: null, deliveryId: request.headers["webhook-id"] ?? null } };
    return {
      verdict: verifyStandardWebhook(request, { secret: secrets.open(row, row.secret_sealed), now: row.read_at }),
    };
  }

  async function verifyAsProvider(row: WebhookRow, providerId: string, request: WebhookRequest): Promise<Signed> {
    const webhook = secrets.findWebhookOf(providerId);
    if (!webhook) return refuse("the provider is not part of this installation");
    const credential = await secrets.readCredential(row.organization_id, providerId, row.credential_id ?? "");
    // One that was set up by us has a secret of its own.
    const secret =
      row.secret_sealed === null ? signingSecretOf(webhook, credential) : secrets.open(row, row.secret_sealed);
    if (secret === undefined) return refuse("the credential has no signing secret");
    return {
      verdict: webhook.verify(request, { secret, now: row.read_at, credential }),
      signer: { webhook, credential },
    };
  }

  return async (row: WebhookRow, request: WebhookRequest & { trace: Span }) => {
    const { verdict, signer } = await verify(row, request).catch((error: unknown): Signed => {
      if (!(error instanceof Refusal) || error.code === "database_unavailable") throw error;
      log.warn(
        { triggerId: row.id, traceId: request.trace.traceId, reason: error.message },
        "The signature of a webhook cannot be checked.",
      );
      return refuse("the signature cannot be checked");
    });
    if (verdict.accepted) return { verdict, signer };
    throw new Refusal("webhook_refused", `The delivery is refused: ${verdict.reason}.`);
  };
}
