import { eachInParallel } from "../base/each-in-parallel.ts";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { repeatWork } from "../base/repeat-work.ts";
import type { Database, Sql } from "../storage/database.ts";
import type { InRegistrationTurn } from "./registration-turns.ts";
import {
  beginRemovalAnew,
  claimRemovals,
  deleteRemoval,
  giveUpThoseWith,
  insertRemoval,
  listRegisteredWith,
  listRemovals,
  noteFailedTry,
  noteThoseOfOrganization,
  noteThoseOfWorkflow,
  type RemovalPlace,
  type RemovalRow,
  removalTables,
} from "./removals-store.ts";
import type { RegisteredWebhook, RemoveWebhook } from "./remove-webhook.ts";
import { type NamedTriggerRow, type TriggerRow, triggerTables, updateTrigger } from "./store.ts";
import type { WebhookRemoval, WebhookRemovalList, WebhookRemovalQuery } from "./wire.ts";

export type WebhookRemovals = ReturnType<typeof createWebhookRemovals>;

type Options = {
  db: Database;
  log: Log;
  inTurn: InRegistrationTurn;
  removeWebhook: RemoveWebhook;
  titleOf: (providerId: string) => string;
};

const intervalMs = 30_000;
const atOnce = 8;
// Longer than a try takes with its wait for a turn, so that no other process begins the same one meanwhile.
const firstSeconds = 2 * 60;
const mostSeconds = 6 * 60 * 60;
/** How long a webhook that cannot be removed is tried again. */
const triedHours = 72;
export const triedFor = "three days";

/** Webhooks that are still to be removed at their providers: stored with what deletes them, tried at once, and then again over restarts. */
export function createWebhookRemovals({ db, log, inTurn, removeWebhook, titleOf }: Options) {
  const tables = removalTables(db);

  /** A trigger that is still there keeps what it has at the provider by now. */
  async function remove(row: RemovalRow, trigger: TriggerRow | undefined): Promise<void> {
    const follows = row.follows_trigger ? trigger : undefined;
    const webhook = follows ? ofTrigger(follows) : ofRemoval(row);
    if (webhook) await removeWebhook(webhook, follows ? undefined : trigger);
    if (follows) await updateTrigger(triggerTables(db), triggerPlaceOf(row), { registered_place: null });
    await deleteRemoval(tables, placeOf(row));
  }

  async function attempt(row: RemovalRow): Promise<void> {
    try {
      await inTurn(triggerPlaceOf(row), (trigger) => remove(row, trigger));
    } catch (error) {
      const reason = reasonOf(error);
      const noted = await noteFailedTry(tables, row, { reason, hours: reason === accountGone ? 0 : triedHours });
      const { trigger_id: triggerId, organization_id: organizationId, provider_id: provider } = row;
      const about = { triggerId, organizationId, provider, reason };
      if (noted?.next_try_at === null)
        log.error(about, "A webhook could not be removed at its provider, and is not tried again.");
      else log.warn(about, "A webhook could not be removed at its provider.");
    }
  }

  async function work(isStopping: () => boolean, organizationId?: string): Promise<number> {
    const rows = await claimRemovals(tables, { organizationId, most: 100, firstSeconds, mostSeconds });
    const failed = (await eachInParallel(rows, attempt, { most: atOnce, isStopping })).find(
      ({ status }) => status === "rejected",
    );
    if (failed?.status === "rejected")
      log.warn({ err: failed.reason as unknown }, "Webhooks of what was deleted could not be removed.");
    return rows.length;
  }

  const upkeep = repeatWork({ log, intervalMs, work, failure: "webhooks of what was deleted were not removed" });

  return {
    ...upkeep,

    noteThoseOfWorkflow: (sql: Sql, place: { organizationId: string; workflowId: string }) =>
      noteThoseOfWorkflow(sql, place),
    noteThoseOfOrganization: (sql: Sql, organizationId: string) => noteThoseOfOrganization(sql, organizationId),

    /** What is due of one organization, now. */
    async runFor(organizationId: string): Promise<void> {
      await work(() => false, organizationId);
    },

    /** After a first try that failed. */
    async add(trigger: NamedTriggerRow, place: string, reason: string): Promise<void> {
      await insertRemoval(tables, {
        id: newId(),
        trigger,
        place,
        reason,
        pauseSeconds: reason === accountGone ? null : firstSeconds,
      });
    },

    /** What nobody but the account can remove. */
    async needing(organizationId: string, credentialId: string) {
      const rows = await listRegisteredWith(tables, { organizationId, credentialId });
      return rows.map(({ provider_id: provider, place, trigger_name: triggerName }) => ({
        provider,
        providerTitle: titleOf(provider),
        place: place || null,
        triggerName,
      }));
    },

    /** Each try would fail from now on. Where nobody says so, the next one does. */
    loseAccount: (organizationId: string, credentialId: string) =>
      giveUpThoseWith(tables, { organizationId, credentialId }, accountGone),

    /** Those that were tried in vain. */
    async list(organizationId: string, { cursor, limit }: WebhookRemovalQuery): Promise<WebhookRemovalList> {
      const rows = await listRemovals(tables, organizationId, { afterId: cursor, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { data: page.map(toWire), nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    /** Somebody removed it by hand. */
    async forget(place: RemovalPlace): Promise<void> {
      if (!(await deleteRemoval(tables, place))) throw notFound();
    },

    /** At once, and from then on for as long as the first time. */
    async tryAgain(place: RemovalPlace): Promise<void> {
      if (!(await beginRemovalAnew(tables, place))) throw notFound();
      await work(() => false, place.organizationId);
    },
  };
}

export const accountGone = "The account that it was set up with is deleted.";

export function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return "It could not be asked.";
  return error.code === "credential_not_accessible" ? accountGone : error.message;
}

const notFound = () => new Refusal("not_found", "There is no such webhook to remove.");

const placeOf = (row: RemovalRow): RemovalPlace => ({ organizationId: row.organization_id, removalId: row.id });
const triggerPlaceOf = (row: RemovalRow) => ({ organizationId: row.organization_id, triggerId: row.trigger_id });

const ofRemoval = ({
  organization_id,
  trigger_id,
  provider_id,
  credential_id,
  place,
}: RemovalRow): RegisteredWebhook => ({
  organization_id,
  id: trigger_id,
  provider_id,
  credential_id,
  registered_place: place,
});

const ofTrigger = (trigger: TriggerRow): RegisteredWebhook | undefined =>
  trigger.registered_place === null ? undefined : { ...trigger, registered_place: trigger.registered_place };

const toWire = (row: RemovalRow): WebhookRemoval => ({
  id: row.id,
  triggerId: row.trigger_id,
  triggerName: row.trigger_name,
  workflowName: row.workflow_name,
  provider: row.provider_id,
  place: row.place === "" ? null : row.place,
  credentialId: row.credential_id,
  reason: row.reason,
  tries: row.tries,
  since: row.created_at.toISOString(),
  nextTryAt: row.next_try_at?.toISOString() ?? null,
});
