import type { LiveSource } from "../records/live.ts";
import type { Database } from "../storage/database.ts";
import { deliveryTables, findDeliveries, listChangedDeliveries } from "./delivery-store.ts";
import { toEntry } from "./delivery-view.ts";

export const deliveryEventKind = "webhook-delivery";

/** Lets live streams follow what arrives at webhooks. */
export function createDeliverySource({ db }: { db: Database }): LiveSource {
  const tables = deliveryTables(db);
  return {
    find: async (organizationId, ids) =>
      (await findDeliveries(tables, organizationId, ids)).map((row) => ({
        kind: deliveryEventKind,
        id: row.id,
        version: row.version,
        data: toEntry(row),
      })),

    listChanged: (organizationId, sinceMicroseconds, limit) =>
      listChangedDeliveries(tables, { organizationId, sinceMicroseconds, limit }),
  };
}
