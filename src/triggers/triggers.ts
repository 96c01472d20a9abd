import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { refersTo, toReference } from "../vault/reference.ts";
import type { NodeOverride, TriggerCount } from "../workflows/wire.ts";
import { checkEvents, checkFilter } from "./filter-events.ts";
import { checkSchedule, firstTick, nextFireTimes, type Schedule } from "./next-fire-times.ts";
import { looksElsewhere } from "./polls/change-poll.ts";
import { tryAllAgain } from "./polls/faulty-item-store.ts";
import type { Polls } from "./polls/find-poll.ts";
import { createLookNow } from "./polls/look-now.ts";
import { forgetItems } from "./polls/poll-store.ts";
import { invalid, readChange, readPoll, readSchedule, readWebhook, writeFilters, writeMethods } from "./read-request.ts";
import type { Registrations } from "./registrations.ts";
import {
  countTriggers,
  deleteTrigger,
  findTrigger,
  findWorkflow,
  insertTrigger,
  listTriggers,
  listTriggersWith,
  lockTrigger,
  type NamedTriggerRow,
  type Place,
  pageOfTriggers,
  readDatabaseClock,
  type TriggersDb,
  triggerTables,
  updateTrigger,
} from "./store.ts";
import { shownFireTimes, toListed, toSummary, toTrigger } from "./trigger-view.ts";
import { signingSecretOf, type WebhookSecrets } from "./webhook-secrets.ts";
import type { Trigger, TriggerChange, TriggerList, TriggerQuery, TriggerRequest, TriggerSummary, TriggerWithSecrets } from "./wire.ts";

export type Triggers = ReturnType<typeof createTriggers>;

type TriggerPage = { search?: string | undefined; cursor?: string | undefined; offset: number; limit: number };

/** Refuses overrides that a run of the workflow would be refused with. */
export type CheckOverrides = (request: { organizationId: string; workflowId: string; overrides: NodeOverride[] }) => Promise<void>;

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
    create: async (organizationId: string, request: TriggerRequest & { createdBy: string | null }): Promise<TriggerWithSecrets> => {
      const { place, shown } = await create(organizationId, request);
      if (request.register) await registrations.inTurn(place, async () => await registrations.setNew(await find(place)));
      return { ...toTrigger(await find(place)), ...(request.register ? notShown : shown) };
    },

    async list(organizationId: string, { limit, cursor, failing, workflowId }: TriggerQuery): Promise<TriggerList> {
      const isFailing = failing === undefined ? undefined : failing === "true";
      const rows = await listTriggers(tables, organizationId, { workflowId, isFailing, beforeId: cursor, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { data: page.map(toListed), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    /** Those that check deliveries or look with a credential, or give it to their runs. */
    async usesOfCredential(organizationId: string, credentialId: string): Promise<{ id: string; name: string }[]> {
      const rows = await listTriggersWith(tables, organizationId, { credentialId, text: toReference(credentialId) });
      return rows.filter((row) => usesCredential(row, credentialId.toLowerCase())).map(({ id, name }) => ({ id, name }));
    },

    /** By workflow; one without any is missing. */
    async countOf(organizationId: string, workflowIds: string[]): Promise<Map<string, TriggerCount>> {
      const rows = await countTriggers(tables, organizationId, workflowIds);
      return new Map(rows.map((row) => [row.workflow_id, { active: Number(row.active), total: Number(row.total) }]));
    },

    /** By position or after a cursor, with the number of all. */
    async page(organizationId: string, { cursor: beforeId, limit, ...page }: TriggerPage) {
      const { total, rows } = await pageOfTriggers(tables, organizationId, { ...page, beforeId, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return { total, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null, triggers: shown.map(toSummary) };
    },

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
    setActive: async (place: Place, active: boolean): Promise<TriggerSummary> => toSummary(await change(place, { active })),

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
  const { row, shown } = secrets.make(place, before.secret_sealed !== null);
  if (!(await updateTrigger(tables, place, row))) throw notFound();
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
  before.registered_place !== null && (["credential_id", "events", "places"] as const).some((column) => before[column] !== after[column]);

type StoreContext = { tables: TriggersDb; now: () => Promise<Date> };

function createNewTrigger({ secrets, registrations, polls, checkOverrides }: Options, { tables, now }: StoreContext) {
  async function partsOfPoll({ organizationId }: Place, request: TriggerRequest, createdAt: Date) {
    await checkFilter(organizationId, request.filter);
    const row = { ...noSchedule, ...noWebhook, ...(await polls.readNew(organizationId, readPoll(request))) };
    return { row: { ...row, next_poll_at: request.active ? createdAt : null }, shown: notShown };
  }

  async function partsOfWebhook(place: Place, request: TriggerRequest) {
    const signer = readWebhook(request);
    await checkFilter(place.organizationId, request.filter);
    const isRegistered = request.register === true;
    if (isRegistered) registrations.check(signer?.providerId, request.places ?? []);
    if (signer) await checkCredential(secrets, { organizationId: place.organizationId, ...signer, isRegistered });
    checkEvents(secrets.findWebhookOf(signer?.providerId ?? ""), { events: request.events ?? [], takesBots: request.takesBots ?? false });
    const { row, shown } = secrets.make(place, request.signature === "standard");
    return { row: { ...noSchedule, provider_id: signer?.providerId ?? null, credential_id: signer?.credentialId ?? null, ...row }, shown };
  }

  async function partsOf(place: Place, request: TriggerRequest, createdAt: Date) {
    if (request.kind === "schedule") {
      const schedule = readSchedule(request);
      const next_fire_at = request.active ? firstTick(schedule, createdAt) : null;
      return { row: { ...noWebhook, cron: schedule.cron, time_zone: schedule.timeZone, next_fire_at }, shown: notShown };
    }
    if (request.kind === "poll") return await partsOfPoll(place, request, createdAt);
    return await partsOfWebhook(place, request);
  }

  return async (organizationId: string, request: TriggerRequest & { createdBy: string | null }) => {
    const { workflowId, kind, name, active, prompt, overrides, createdBy } = request;
    const place = { organizationId, triggerId: newId() };
    // Its first tick comes after this moment, however long the rest takes.
    const createdAt = await now();
    const { row, shown } = await partsOf(place, request, createdAt);
    if (!(await findWorkflow(tables, organizationId, workflowId))) throw new Refusal("workflow_not_found", "There is no such workflow.");
    await checkOverrides({ organizationId, workflowId, overrides });
    await insertTrigger(tables, {
      organization_id: organizationId,
      id: place.triggerId,
      workflow_id: workflowId,
      kind,
      name,
      is_active: active,
      overrides: JSON.stringify(overrides),
      prompt,
      methods: writeMethods(request.methods ?? ["POST"]),
      answer_within_seconds: request.answerWithinSeconds ?? null,
      takes_bots: request.takesBots ?? false,
      events: "[]",
      places: "[]",
      filter: "",
      ...writeFilters(request),
      last_fired_at: null,
      last_error: null,
      created_by: createdBy,
      created_at: createdAt,
      updated_at: createdAt,
      ...row,
    });
    return { place, shown };
  };
}

const checkEventsOf = (secrets: WebhookSecrets, { provider_id, events, takes_bots }: NamedTriggerRow): void =>
  checkEvents(secrets.findWebhookOf(provider_id ?? ""), { events: JSON.parse(events) as string[], takesBots: takes_bots });

type Signing = { organizationId: string; providerId: string; credentialId: string; isRegistered: boolean };

async function checkCredential(secrets: WebhookSecrets, signing: Signing): Promise<void> {
  const { organizationId, providerId, credentialId, isRegistered } = signing;
  const webhook = secrets.findWebhookOf(providerId);
  if (!webhook) throw invalid([{ pointer: "/provider", detail: "is no provider that signs deliveries" }]);
  const credential = await secrets.readCredential(organizationId, providerId, credentialId);
  if (!isRegistered && signingSecretOf(webhook, credential) === undefined)
    throw invalid([
      { pointer: "/credentialId", detail: `is a credential without ${webhook.secretField}, which signatures are checked with` },
    ]);
}

/** For a run they are its nodes; here they are one field of several. */
const namingOverrides =
  (check: CheckOverrides): CheckOverrides =>
  async (request) => {
    if (request.overrides.length === 0) return;
    await check(request).catch((error: unknown) => {
      throw error instanceof Refusal ? error.reworded((text) => text.replace(/^(\/?)nodes\b/, "$1overrides")) : error;
    });
  };

const usesCredential = ({ credential_id, overrides }: NamedTriggerRow, credentialId: string): boolean =>
  credential_id === credentialId ||
  (JSON.parse(overrides) as NodeOverride[]).some(({ credentials }) => refersTo(credentials, credentialId));

/** What only the provider is told. */
const notShown = { webhookUrl: null, signingSecret: null };
const noWebhook = { provider_id: null, credential_id: null, token_sha256: null, secret_sealed: null };
const noSchedule = { cron: null, time_zone: null, next_fire_at: null };

const notFound = () => new Refusal("not_found", "There is no such trigger.");

function required(row: NamedTriggerRow | undefined): NamedTriggerRow {
  if (!row) throw notFound();
  return row;
}
