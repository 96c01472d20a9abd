import { endSentence } from "../base/end-sentence.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { CallProvider } from "./call-provider.ts";
import type { InRegistrationTurn } from "./registration-turns.ts";
import type { Address, RemoveWebhook } from "./remove-webhook.ts";
import {
  deleteTrigger,
  type NamedTriggerRow,
  type TriggerRow,
  type TriggerUpdate,
  triggerTables,
  updateTrigger,
} from "./store.ts";
import { createTellProvider, toPlace } from "./tell-provider.ts";
import { accountGone, reasonOf, triedFor, type WebhookRemovals } from "./webhook-removals.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

export type Registrations = ReturnType<typeof createRegistrations>;

type Options = {
  db: Database;
  log: Log;
  secrets: WebhookSecrets;
  callProvider: CallProvider;
  inTurn: InRegistrationTurn;
  removeWebhook: RemoveWebhook;
  removals: Pick<WebhookRemovals, "add">;
  titleOf: (providerId: string) => string;
};

/** Webhooks that this server sets up at the provider, with the account that the trigger has, and removes again. */
export function createRegistrations({
  db,
  log,
  secrets,
  callProvider,
  inTurn,
  removeWebhook,
  removals,
  titleOf,
}: Options) {
  const tables = triggerTables(db);
  const { placeOf, set, changeEvents } = createTellProvider({ tables, secrets, callProvider });

  /** Undefined once nothing delivers to it any more, but to the address that it keeps, else why something still may. */
  async function tryToClear(row: TriggerRow, kept?: Address): Promise<string | undefined> {
    const { registered_place } = row;
    if (registered_place === null) return undefined;
    try {
      await removeWebhook({ ...row, registered_place }, kept);
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      const about = { triggerId: row.id, organizationId: row.organization_id, reason };
      log.warn(about, "A webhook could not be removed at its provider.");
      return reason;
    }
  }

  /** The same, and what cannot be removed now is removed later, if it can be. */
  async function clear(row: NamedTriggerRow, kept?: Address): Promise<string | undefined> {
    const reason = await tryToClear(row, kept);
    if (reason === undefined) return undefined;
    await removals.add(row, row.registered_place ?? "", reason);
    const may = `${titleOf(row.provider_id ?? "")} may still have the webhook, and deliver to nobody: ${endSentence(reason)}`;
    return reason === accountGone
      ? `${may} Remove it there.`
      : `${may} It is tried again for ${triedFor}; or remove it there.`;
  }

  const asIfRegistered = (row: TriggerRow): TriggerRow => ({
    ...row,
    registered_place: placeOf(row.provider_id, JSON.parse(row.places) as string[]),
  });

  /** First the new one and then the old one goes: until the new one is there the provider keeps what it has. */
  async function replace(before: NamedTriggerRow, after: NamedTriggerRow): Promise<string | undefined> {
    const kept = await set(after).catch(async (error: unknown) => {
      await updateTrigger(tables, toPlace(after), asTold(before));
      // It may have been set up all the same when there was no answer.
      await tryToClear(asIfRegistered(after), before);
      throw error;
    });
    return await clear(before, kept);
  }

  return {
    /** For whatever is told to the provider, from reading the trigger on. */
    inTurn,

    /** Refuses what cannot be set up. */
    check: (providerId: string | null | undefined, places: string[]): void => void placeOf(providerId, places),

    /** Where it cannot be set up there is no trigger. It may have been set up all the same when there was no answer. */
    async setNew(row: TriggerRow): Promise<void> {
      await set(row).catch(async (error: unknown) => {
        await tryToClear(asIfRegistered(row));
        await deleteTrigger(tables, toPlace(row));
        throw error;
      });
    },

    clear,

    /** After something that the provider was told has changed. Where it cannot be told, the trigger stays as it knows it, and says so. */
    async renew(before: NamedTriggerRow, after: NamedTriggerRow): Promise<void> {
      try {
        const isChanged = hasOtherEvents(before, after) && (await changeEvents(after));
        const notRemoved = isChanged ? undefined : await replace(before, after);
        await updateTrigger(tables, toPlace(after), { last_error: notRemoved ?? null });
      } catch (error) {
        const words = `The webhook could not be set up: ${error instanceof Refusal ? error.message : "the log of the server says more"}`;
        await updateTrigger(tables, toPlace(after), { ...asTold(before), last_error: endSentence(words) });
        throw error;
      }
    },
  };
}

/** Whether nothing else changed of what the provider was told. */
const hasOtherEvents = (before: TriggerRow, after: TriggerRow): boolean =>
  before.registered_place !== null &&
  before.events !== after.events &&
  before.credential_id === after.credential_id &&
  before.places === after.places;

const asTold = ({
  credential_id,
  events,
  places,
  token_sha256,
  secret_sealed,
  registered_place,
}: TriggerRow): TriggerUpdate => ({
  credential_id,
  events,
  places,
  token_sha256,
  secret_sealed,
  registered_place,
});
