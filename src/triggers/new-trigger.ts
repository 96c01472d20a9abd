import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import { saveAddress } from "./address-store.ts";
import { checkEvents, checkFilter } from "./filter-events.ts";
import { firstTick } from "./next-fire-times.ts";
import type { Polls } from "./polls/find-poll.ts";
import { invalid, readPoll, readSchedule, readWebhook, writeFilters, writeMethods } from "./read-request.ts";
import type { Registrations } from "./registrations.ts";
import { findWorkflow, insertTrigger, type Place, type TriggersDb } from "./store.ts";
import type { CheckOverrides } from "./trigger-overrides.ts";
import { signingSecretOf, type WebhookSecrets } from "./webhook-secrets.ts";
import type { TriggerRequest } from "./wire.ts";

type Options = {
  secrets: WebhookSecrets;
  registrations: Registrations;
  polls: Pick<Polls, "readNew">;
  checkOverrides: CheckOverrides;
};

type StoreContext = { tables: TriggersDb; now: () => Promise<Date> };

/** Checks what is asked for, and stores it. */
export function createNewTrigger(
  { secrets, registrations, polls, checkOverrides }: Options,
  { tables, now }: StoreContext,
) {
  async function partsOfPoll({ organizationId }: Place, request: TriggerRequest, createdAt: Date) {
    await checkFilter(organizationId, request.filter);
    const row = { ...noSchedule, ...noWebhook, ...(await polls.readNew(organizationId, readPoll(request))) };
    return { row: { ...row, next_poll_at: request.active ? createdAt : null }, shown: notShown, address: null };
  }

  async function partsOfWebhook(place: Place, request: TriggerRequest) {
    const signer = readWebhook(request);
    await checkFilter(place.organizationId, request.filter);
    const isRegistered = request.register === true;
    if (isRegistered) registrations.check(signer?.providerId, request.places ?? []);
    if (signer) await checkCredential(secrets, { organizationId: place.organizationId, ...signer, isRegistered });
    checkEvents(secrets.findWebhookOf(signer?.providerId ?? ""), {
      events: request.events ?? [],
      takesBots: request.takesBots ?? false,
    });
    const hasSecret = request.signature === "standard";
    const isSigned = hasSecret || (signer !== undefined && !isRegistered);
    const { row, shown, address } = secrets.make(place, { hasSecret, isSigned });
    return {
      address,
      row: {
        ...noSchedule,
        provider_id: signer?.providerId ?? null,
        credential_id: signer?.credentialId ?? null,
        ...row,
      },
      shown,
    };
  }

  async function partsOf(place: Place, request: TriggerRequest, createdAt: Date) {
    if (request.kind === "schedule") {
      const schedule = readSchedule(request);
      const next_fire_at = request.active ? firstTick(schedule, createdAt) : null;
      return {
        row: { ...noWebhook, cron: schedule.cron, time_zone: schedule.timeZone, next_fire_at },
        shown: notShown,
        address: null,
      };
    }
    if (request.kind === "poll") return await partsOfPoll(place, request, createdAt);
    return await partsOfWebhook(place, request);
  }

  return async (organizationId: string, request: TriggerRequest & { createdBy: string | null }) => {
    const { workflowId, overrides } = request;
    const place = { organizationId, triggerId: newId() };
    // Its first tick comes after this moment, however long the rest takes.
    const createdAt = await now();
    const { row, shown, address } = await partsOf(place, request, createdAt);
    if (!(await findWorkflow(tables, organizationId, workflowId)))
      throw new Refusal("workflow_not_found", "There is no such workflow.");
    await checkOverrides({ organizationId, workflowId, overrides });
    await tables.transaction().execute(async (transaction) => {
      await insertTrigger(transaction, { ...toRow(place, request, createdAt), ...row });
      if (address) await saveAddress(transaction, place, address);
    });
    return { place, shown };
  };
}

/** What every kind of trigger has. */
const toRow = (
  { organizationId, triggerId }: Place,
  {
    workflowId,
    kind,
    name,
    active,
    prompt,
    overrides,
    createdBy,
    ...request
  }: TriggerRequest & { createdBy: string | null },
  createdAt: Date,
) => ({
  organization_id: organizationId,
  id: triggerId,
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
});

type Signing = { organizationId: string; providerId: string; credentialId: string; isRegistered: boolean };

/** Refuses an account that deliveries cannot be checked with. */
export async function checkCredential(secrets: WebhookSecrets, signing: Signing): Promise<void> {
  const { organizationId, providerId, credentialId, isRegistered } = signing;
  const webhook = secrets.findWebhookOf(providerId);
  if (!webhook) throw invalid([{ pointer: "/provider", detail: "is no provider that signs deliveries" }]);
  const credential = await secrets.readCredential(organizationId, providerId, credentialId);
  if (!isRegistered && signingSecretOf(webhook, credential) === undefined)
    throw invalid([
      {
        pointer: "/credentialId",
        detail: `is a credential without ${webhook.secretField}, which signatures are checked with`,
      },
    ]);
}

/** What only the provider is told. */
export const notShown = { webhookUrl: null, signingSecret: null };
const noWebhook = { provider_id: null, credential_id: null, token_sha256: null, secret_sealed: null };
const noSchedule = { cron: null, time_zone: null, next_fire_at: null };
