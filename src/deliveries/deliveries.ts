import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { deliveryTables, findDelivery, listDeliveries, type Place } from "./delivery-store.ts";
import { toEntry } from "./delivery-view.ts";
import { beginListening, endListening, findKind, findListening, takeListening } from "./listening-store.ts";
import type { Listening, WebhookDeliveryDetail, WebhookDeliveryList, WebhookDeliveryQuery } from "./wire.ts";

export type Deliveries = ReturnType<typeof createDeliveries>;

const listeningSeconds = 120;

/** What arrived at webhooks, and listening for what arrives next. */
export function createDeliveries({ db }: { db: Database }) {
  const tables = deliveryTables(db);

  async function requireWebhook(place: Place): Promise<void> {
    const found = await findKind(tables, place);
    if (!found) throw new Refusal("not_found", "There is no such trigger.");
    if (found.kind !== "webhook") throw new Refusal("conflict", "Only a webhook gets deliveries.");
  }

  return {
    async list(place: Place, { limit, cursor, refused, listened }: WebhookDeliveryQuery): Promise<WebhookDeliveryList> {
      await requireWebhook(place);
      const selection = { isRefused: toFlag(refused), isListened: toFlag(listened), beforeId: cursor };
      const [rows, listening] = await Promise.all([
        listDeliveries(tables, place, { ...selection, limit: limit + 1 }),
        findListening(tables, place),
      ]);
      const page = rows.slice(0, limit);
      return {
        data: page.map(toEntry),
        nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
        listeningUntil: listening?.until.toISOString() ?? null,
      };
    },

    async get(place: Place, deliveryId: string): Promise<WebhookDeliveryDetail> {
      const row = await findDelivery(tables, place, deliveryId);
      if (!row) throw new Refusal("not_found", "There is no such delivery, or it is not kept any more.");
      const data = row.data === null ? null : (JSON.parse(row.data) as WebhookDeliveryDetail["data"]);
      return { ...toEntry(row), data, truncated: row.is_truncated };
    },

    /** Everybody of the organization listens together: one delivery is shown to all of them. */
    async listen(place: Place): Promise<Listening> {
      await requireWebhook(place);
      return { until: (await beginListening(tables, place, listeningSeconds)).toISOString() };
    },

    async stopListening(place: Place): Promise<void> {
      await requireWebhook(place);
      await endListening(tables, place);
    },

    /** Whether somebody listens, which ends with this. */
    takeListening: (place: Place): Promise<boolean> => takeListening(tables, place),
  };
}

const toFlag = (text: "true" | "false" | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";
