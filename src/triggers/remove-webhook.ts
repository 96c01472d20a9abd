import { accountOf, type CallProvider } from "./call-provider.ts";
import { invalid } from "./read-request.ts";
import type { TriggerRow } from "./store.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

export type RemoveWebhook = ReturnType<typeof createRemoveWebhook>;

/** One of those that a trigger has or had. */
export type Address = Pick<TriggerRow, "id" | "token_sha256">;

/** What a provider was told: for which trigger, with which account, and where. */
export type RegisteredWebhook = Pick<TriggerRow, "organization_id" | "id" | "provider_id" | "credential_id"> & {
  registered_place: string;
};

/** How long a provider may take to set something up, to change it or to remove it. */
export const limitMs = 10_000;

/** Removes what delivers to a trigger at its provider, but for what delivers to the address that it keeps. */
export const createRemoveWebhook =
  ({ secrets, callProvider }: { secrets: WebhookSecrets; callProvider: CallProvider }) =>
  async (webhook: RegisteredWebhook, kept?: Address): Promise<void> => {
    const urlStart = secrets.urlStartOf(webhook.id);
    const isAt = (url: string) => url.startsWith(urlStart) && !(kept && secrets.isAddress(url, kept));
    const registered = { urlStart, isAt, place: webhook.registered_place };
    const { remove } = findRegistration(secrets, webhook.provider_id);
    await callProvider({ ...accountOf(webhook), limitMs }, (call) => remove(call, registered));
  };

export function findRegistration(secrets: WebhookSecrets, providerId: string | null | undefined) {
  const registration = secrets.findWebhookOf(providerId ?? "")?.registration;
  if (!registration)
    throw invalid([{ pointer: "/register", detail: "is not possible: this provider cannot be told by its API" }]);
  return registration;
}
