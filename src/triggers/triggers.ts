import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { saveAddress } from "./address-store.ts";
import { checkEvents, checkFilter } from "./filter-events.ts";
import { checkCredential, createNewTrigger, notShown } from "./new-trigger.ts";
import { checkSchedule, nextFireTimes, type Schedule } from "./next-fire-times.ts";
import { looksElsewhere } from "./polls/change-poll.ts";
import { tryAllAgain } from "./polls/faulty-item-store.ts";
import type { Polls } from "./polls/find-poll.ts";
import { createLookNow } from "./polls/look-now.ts";
import { forgetItems } from "./polls/poll-store.ts";
import { readChange } from "./read-request.ts";
import { createTriggerReads } from "./read-triggers.ts";
import type { Registrations } from "./registrations.ts";
import {
  deleteTrigger,
  findTrigger,
  lockTrigger,
  type NamedTriggerRow,
  type Place,
  readDatabaseClock,
  type TriggersDb,
  triggerTables,
  updateTrigger,
} from "./store.ts";
import { type CheckOverrides, namingOverrides } from "./trigger-overrides.ts";
import { shownFireTimes, toSummary, toTrigger } from "./trigger-view.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";
import type { Trigger, TriggerChange, TriggerRequest, TriggerSummary, TriggerWithSecrets } from "./wire.ts";

export type Triggers = ReturnType<typeof createTriggers>;

type Options = {
  db: Database;
  secrets: WebhookSecrets;
  registrations: Registrations;
  polls: Pick<Polls, "readNew" | "checkChange" | "saysSame">;
  checkOverrides: CheckOverrides;
  /** The database's clock unless given. */
  readNow?: () => Promise<Date>;
};

/** Schedules, webhooks and polls of an organization's workflows. */
export function createTriggers(options: Options) {
  const { db, registrations, readNow } = options;
  const checkOverrides = namingOverrides(options.checkOverrides);
  const tables = triggerTables(db);
  const now = (on: TriggersDb = tables) => readNow?.() ?? readDatabaseClock(on);
  const find = async (place: Place) => required(await findTrigger(tables, place));
  const get = async (place: Place): Promise<Trigger> => toTrigger(await find(place));
  const inTurn = createInTurn(registrations, find);
  const create = createNewTrigger({ ...options, checkOverrides }, { tables, now });
  const checkChange = createCheckChange({ ...options, checkOverrides });

  async function change(place: Place, wanted: TriggerChange): Promise<NamedTriggerRow> {
    return await tables.transaction().execute(async (transaction) => {
      const row = required(await lockTrigger(transaction, place));
      const update = readChange(row, wanted, await now(transaction), options.polls.saysSame);
      if (wanted.events || wanted.takesBots !== undefined) checkEventsOf(options.secrets, { ...row, ...update });
      await updateTrigger(transaction, place, update);
      const after = { ...row, ...update };
      if (row.kind === "poll" && looksElsewhere(row, after)) await forgetItems(transaction, place);
      // What the filter failed on may be right by now.
      if (row.filter !== after.filter) await tryAllAgain(transaction, place);
      return after;
    });
  }

  return {
    create: async (
      organizationId: string,
      request: TriggerRequest & { createdBy: string | null },
    ): Promise<TriggerWithSecrets> => {
      const { place, shown } = await create(organizationId, request);
      if (request.register)
        await registrations.inTurn(place, async () => await registrations.setNew(await find(place)));
      return { ...toTrigger(await find(place)), ...(request.register ? notShown : shown) };
    },

    ...createTriggerReads(tables),

    get,

    async update(place: Place, wanted: TriggerChange): Promise<Trigger> {
      await inTurn(place, async (before) => {
        await checkChange(before, wanted);
        const after = await change(place, wanted);
        if (wanted.register || isTold(before, after)) await registrations.renew(before, after);
      });
      return await get(place);
    },

    /** Once it has answered, a trigger that is off starts nothing. */
    setActive: async (place: Place, active: boolean): Promise<TriggerSummary> =>
      toSummary(await change(place, { active })),

    lookNow: createLookNow(tables, get),

    /** The address so far is worth nothing from now on. */
    async regenerateToken(place: Place): Promise<TriggerWithSecrets> {
      const shown = await inTurn(place, (before) => renewAddress(options, tables, before));
      return { ...toTrigger(await find(place)), ...shown };
    },

    /** Also at its provider; otherwise it says why that was not possible. */
    async remove(place: Place): Promise<string | undefined> {
      return await inTurn(place, async (before) => {
        const notRemoved = await registrations.clear(before);
        if (!(await deleteTrigger(tables, place))) throw notFound();
        return notRemoved;
      });
    },

    async preview(schedule: Schedule): Promise<string[]> {
      checkSchedule(schedule);
      return nextFireTimes(schedule, await now(), shownFireTimes).map((time) => time.toISOString());
    },
  };
}

/** Nobody else tells the provider of a webhook anything meanwhile. */
const createInTurn =
  (registrations: Registrations, find: (place: Place) => Promise<NamedTriggerRow>) =>
  async <Value>(place: Place, work: (row: NamedTriggerRow) => Promise<Value>): Promise<Value> => {
    const row = await find(place);
    if (row.kind !== "webhook" || row.provider_id === null) return await work(row);
    return await registrations.inTurn(place, async () => await work(await find(place)));
  };

async function renewAddress({ secrets, registrations }: Options, tables: TriggersDb, before: NamedTriggerRow) {
  const place = { organizationId: before.organization_id, triggerId: before.id };
  if (before.kind !== "webhook") throw new Refusal("conflict", "Only a webhook has an address.");
  if (before.registered_place !== null) {
    await registrations.renew(before, before);
    return notShown;
  }
  const hasSecret = before.secret_sealed !== null;
  const isSigned = hasSecret || before.provider_id !== null;
  const { row, shown, address } = secrets.make(place, { hasSecret, isSigned });
  await tables.transaction().execute(async (transaction) => {
    if (!(await updateTrigger(transaction, place, row))) throw notFound();
    if (address) await saveAddress(transaction, place, address);
  });
  return shown;
}

/** Refuses what a trigger cannot become. */
const createCheckChange =
  ({ secrets, registrations, polls, checkOverrides }: Options) =>
  async (before: NamedTriggerRow, change: TriggerChange): Promise<void> => {
    const { credentialId, overrides, filter, places, register } = change;
    const { organization_id: organizationId, workflow_id: workflowId, provider_id } = before;
    const isRegistered = register === true || before.registered_place !== null;
    await checkFilter(organizationId, filter);
    if (overrides) await checkOverrides({ organizationId, workflowId, overrides });
    if (before.kind === "poll") return await polls.checkChange(before, change);
    if (isRegistered) registrations.check(provider_id, places ?? (JSON.parse(before.places) as string[]));
    if (provider_id !== null && credentialId)
      await checkCredential(secrets, { organizationId, providerId: provider_id, credentialId, isRegistered });
  };

/** Whether the provider of a webhook that is set up there was told something else. */
const isTold = (before: NamedTriggerRow, after: NamedTriggerRow): boolean =>
  before.registered_place !== null &&
  (["credential_id", "events", "places"] as const).some((column) => before[column] !== after[column]);

const checkEventsOf = (secrets: WebhookSecrets, { provider_id, events, takes_bots }: NamedTriggerRow): void =>
  checkEvents(secrets.findWebhookOf(provider_id ?? ""), {
    events: JSON.parse(events) as string[],
    takesBots: takes_bots,
  });

const notFound = () => new Refusal("not_found", "There is no such trigger.");

function required(row: NamedTriggerRow | undefined): NamedTriggerRow {
  if (!row) throw notFound();
  return row;
}
