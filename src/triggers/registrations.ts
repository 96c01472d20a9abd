import { eachInParallel } from "../base/each-in-parallel.ts";
import { endSentence } from "../base/end-sentence.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { accountOf, type CallProvider } from "./call-provider.ts";
import { invalid } from "./read-request.ts";
import { createRegistrationTurns } from "./registration-turns.ts";
import { listRegistered } from "./registrations-store.ts";
import { deleteTrigger, type Place, type TriggerRow, triggerTables, updateTrigger } from "./store.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

export type Registrations = ReturnType<typeof createRegistrations>;

type Options = { db: Database; log: Log; secrets: WebhookSecrets; callProvider: CallProvider; titleOf: (providerId: string) => string };

const limitMs = 10_000;
const atOnce = 8;

/** Webhooks that this server sets up at the provider, with the account that the trigger has, and removes again. */
export function createRegistrations({ db, log, secrets, callProvider, titleOf }: Options) {
  const tables = triggerTables(db);
  const inTurn = createRegistrationTurns(db);
  const registrationOf = createFindRegistration(secrets);

  /** The place that it belongs to. */
  function placeOf(providerId: string | null | undefined, places: string[]): string {
    const { place } = registrationOf(providerId);
    if (place === null) return "";
    const [only = "", ...others] = places;
    if (others.length > 0 || !place.pattern.test(only)) throw invalid([{ pointer: "/places", detail: place.detail }]);
    return only;
  }

  /** A new address and a new secret. They are stored before the provider hears of them, because it may deliver before it answers. */
  async function set(row: TriggerRow): Promise<void> {
    const place = toPlace(row);
    const registeredPlace = placeOf(row.provider_id, JSON.parse(row.places) as string[]);
    const made = secrets.makeRegistered(place);
    await updateTrigger(tables, place, { ...made.row, registered_place: registeredPlace });
    const keepSecret = async (own: string) => void (await updateTrigger(tables, place, { secret_sealed: made.seal(own) }));
    const wish = {
      ...made,
      keepSecret,
      urlStart: secrets.urlStartOf(row.id),
      events: JSON.parse(row.events) as string[],
      place: registeredPlace,
    };
    const account = { ...accountOf(row), limitMs, secrets: [made.token, made.secret] };
    await callProvider(account, (call) => registrationOf(row.provider_id).register(call, wish));
  }

  /** Undefined once nothing delivers to it any more, else why something still does. */
  async function clear(row: TriggerRow): Promise<string | undefined> {
    const { registered_place: place } = row;
    if (place === null) return undefined;
    try {
      const registered = { urlStart: secrets.urlStartOf(row.id), place };
      await callProvider({ ...accountOf(row), limitMs }, (call) => registrationOf(row.provider_id).remove(call, registered));
      return undefined;
    } catch (error) {
      const words = error instanceof Refusal ? error.message : "It could not be asked.";
      const about = { triggerId: row.id, organizationId: row.organization_id, reason: words };
      log.warn(about, "A webhook could not be removed at its provider.");
      return `${titleOf(row.provider_id ?? "")} may still have the webhook, and deliver to nobody: ${endSentence(words)} Remove it there.`;
    }
  }

  return {
    /** For whatever is told to the provider, from reading the trigger on. */
    inTurn,

    /** Refuses what cannot be set up. */
    check: (providerId: string | null | undefined, places: string[]): void => void placeOf(providerId, places),

    /** Where it cannot be set up there is no trigger. It may have been set up all the same when there was no answer. */
    async setNew(row: TriggerRow): Promise<void> {
      await set(row).catch(async (error: unknown) => {
        await clear({ ...row, registered_place: placeOf(row.provider_id, JSON.parse(row.places) as string[]) });
        await deleteTrigger(tables, toPlace(row));
        throw error;
      });
    },

    clear,

    /** After something that the provider was told has changed. Where it cannot be told anew, the trigger says so. */
    async renew(before: TriggerRow, after: TriggerRow): Promise<void> {
      const notRemoved = await clear(before);
      try {
        await set(after);
        if (notRemoved !== undefined) await updateTrigger(tables, toPlace(after), { last_error: notRemoved });
      } catch (error) {
        const words = `The webhook could not be set up: ${error instanceof Refusal ? error.message : "the log of the server says more"}`;
        await updateTrigger(tables, toPlace(after), { last_error: endSentence(words) });
        throw error;
      }
    },

    list: (place: { organizationId: string; workflowId?: string }) => listRegistered(tables, place),

    /** Of what is being deleted. What cannot be removed is in the log. */
    async clearAll(rows: TriggerRow[]): Promise<void> {
      const clearOne = async (listed: TriggerRow) =>
        await inTurn(toPlace(listed), async (row = listed) => {
          if ((await clear(row)) === undefined) await updateTrigger(tables, toPlace(row), { registered_place: null });
        });
      const failed = (await eachInParallel(rows, clearOne, { most: atOnce })).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") log.warn({ err: failed.reason as unknown }, "Webhooks of what was deleted could not be removed.");
    },
  };
}

const createFindRegistration = (secrets: WebhookSecrets) => (providerId: string | null | undefined) => {
  const registration = secrets.findWebhookOf(providerId ?? "")?.registration;
  if (!registration) throw invalid([{ pointer: "/register", detail: "is not possible: this provider cannot be told by its API" }]);
  return registration;
};

const toPlace = ({ organization_id, id }: TriggerRow): Place => ({ organizationId: organization_id, triggerId: id });
