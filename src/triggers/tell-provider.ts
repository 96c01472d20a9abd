import { Refusal } from "../base/refusal.ts";
import { accountOf, type CallProvider } from "./call-provider.ts";
import { invalid } from "./read-request.ts";
import { type Address, findRegistration, limitMs } from "./remove-webhook.ts";
import { type Place, type TriggerRow, type TriggersDb, updateTrigger } from "./store.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

type Options = { tables: TriggersDb; secrets: WebhookSecrets; callProvider: CallProvider };

/** Tells a provider, with the account of a trigger, where to deliver to and which events. */
export function createTellProvider({ tables, secrets, callProvider }: Options) {
  /** The place that it belongs to. */
  function placeOf(providerId: string | null | undefined, places: string[]): string {
    const { place } = findRegistration(secrets, providerId);
    if (place === null) return "";
    const [only = "", ...others] = places;
    if (others.length > 0 || !place.pattern.test(only)) throw invalid([{ pointer: "/places", detail: place.detail }]);
    return only;
  }

  return {
    placeOf,

    /** A new address and a new secret. They are stored before the provider hears of them, because it may deliver before it answers. */
    async set(row: TriggerRow): Promise<Address> {
      const place = toPlace(row);
      const registeredPlace = placeOf(row.provider_id, JSON.parse(row.places) as string[]);
      const made = secrets.makeRegistered(place);
      // Deleted meanwhile, with all that is known at the provider.
      if (!(await updateTrigger(tables, place, { ...made.row, registered_place: registeredPlace })))
        throw new Refusal("not_found", "There is no such trigger.");
      const keepSecret = async (own: string) =>
        void (await updateTrigger(tables, place, { secret_sealed: made.seal(own) }));
      const request = {
        ...made,
        keepSecret,
        urlStart: secrets.urlStartOf(row.id),
        events: JSON.parse(row.events) as string[],
        place: registeredPlace,
      };
      const account = { ...accountOf(row), limitMs, secrets: [made.token, made.secret] };
      await callProvider(account, (call) => findRegistration(secrets, row.provider_id).register(call, request));
      return { id: row.id, token_sha256: made.row.token_sha256 };
    },

    /** At the address and with the secret that it has; false where the provider has it no more. */
    async changeEvents(row: TriggerRow): Promise<boolean> {
      const secret = secrets.open(row, row.secret_sealed ?? Buffer.alloc(0));
      const registered = {
        secret,
        urlStart: secrets.urlStartOf(row.id),
        isAt: (url: string) => secrets.isAddress(url, row),
        events: JSON.parse(row.events) as string[],
        place: row.registered_place ?? "",
      };
      const account = { ...accountOf(row), limitMs, secrets: [secret] };
      return await callProvider(account, (call) =>
        findRegistration(secrets, row.provider_id).changeEvents(call, registered),
      );
    },
  };
}

export const toPlace = ({ organization_id, id }: TriggerRow): Place => ({
  organizationId: organization_id,
  triggerId: id,
});
