import { type Kysely, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { WebhookDelivery } from "./wire.ts";

type Columns = {
  organization_id: string;
  id: string;
  trigger_id: string;
  method: string;
  content_type: string | null;
  bytes: number;
  status: number;
  outcome: WebhookDelivery["outcome"];
  reason: string | null;
  run_id: string | null;
  is_listened: boolean;
  preview: string | null;
};
export type NewDelivery = Columns & { data: string | null; is_truncated: boolean };
export type DeliveryRow = Columns & { recorded_at: Date; version: number };

type DeliveryTables = {
  webhook_delivery: NewDelivery & { recorded_at: Date };
  webhook_listening: { organization_id: string; trigger_id: string; until: Date };
  trigger: { organization_id: string; id: string; kind: string; workflow_id: string };
  workflow: { organization_id: string; id: string; deleted_at: Date | null };
  run: { organization_id: string; id: string; trigger_data: string };
};
export type DeliveriesDb = Kysely<DeliveryTables>;

/** Names one trigger. The organization always goes along, so that a foreign id finds nothing. */
export type Place = { organizationId: string; triggerId: string };

export const deliveryTables = (db: Database): DeliveriesDb => db.tables<DeliveryTables>();

// A trigger that was deleted meanwhile must not keep the others of the batch from being stored.
const insertStatement = {
  name: "webhook_delivery_insert",
  text: `INSERT INTO webhook_delivery (organization_id, id, trigger_id, method, content_type, bytes, status, outcome, reason, run_id, is_listened,
           preview, data, is_truncated)
         SELECT given.* FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[], $9::text[],
           $10::uuid[], $11::boolean[], $12::text[], $13::text[], $14::boolean[])
           AS given (organization_id, id, trigger_id, method, content_type, bytes, status, outcome, reason, run_id, is_listened, preview, data, is_truncated)
         JOIN trigger ON trigger.organization_id = given.organization_id AND trigger.id = given.trigger_id
         FOR KEY SHARE OF trigger
         ON CONFLICT DO NOTHING`,
};

export async function insertDeliveries(db: Database, rows: readonly NewDelivery[]): Promise<void> {
  const all = <Name extends keyof NewDelivery>(name: Name) => rows.map((row) => row[name]);
  await db.prepared(insertStatement, [
    all("organization_id"),
    all("id"),
    all("trigger_id"),
    all("method"),
    all("content_type"),
    all("bytes"),
    all("status"),
    all("outcome"),
    all("reason"),
    all("run_id"),
    all("is_listened"),
    all("preview"),
    all("data"),
    all("is_truncated"),
  ]);
}

// Those that were refused are counted apart: whoever knows only the address must not drive out what the real sender delivered.
const pruneStatement = {
  name: "webhook_delivery_prune",
  text: `DELETE FROM webhook_delivery USING (
           SELECT each.organization_id, each.id, row_number() OVER (
             PARTITION BY each.organization_id, each.trigger_id, each.outcome = 'refused' ORDER BY each.id DESC
           ) AS place
           FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[]) AS given (organization_id, trigger_id)) AS named
             JOIN webhook_delivery AS each
               ON each.organization_id = named.organization_id AND each.trigger_id = named.trigger_id
         ) AS placed
         WHERE placed.place > $3 AND webhook_delivery.organization_id = placed.organization_id AND webhook_delivery.id = placed.id`,
};

/** Leaves so many of the newest of each trigger, and as many that were refused. */
export const pruneDeliveries = (db: Database, rows: readonly NewDelivery[], kept: number) =>
  db.prepared(pruneStatement, [
    rows.map(({ organization_id }) => organization_id),
    rows.map(({ trigger_id }) => trigger_id),
    kept,
  ]);

/** How many were removed. */
export async function removeOldDeliveries(
  db: DeliveriesDb,
  { keptDays, limit }: { keptDays: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM webhook_delivery WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM webhook_delivery WHERE recorded_at < now() - ${keptDays} * interval '1 day' LIMIT ${limit}
    ))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

const selectDeliveries = (db: DeliveriesDb, organizationId: string) =>
  db
    .selectFrom("webhook_delivery as delivery")
    .select([
      "delivery.organization_id",
      "delivery.id",
      "delivery.trigger_id",
      "delivery.method",
      "delivery.content_type",
      "delivery.bytes",
      "delivery.status",
      "delivery.outcome",
      "delivery.reason",
      "delivery.run_id",
      "delivery.is_listened",
      "delivery.preview",
      "delivery.recorded_at",
    ])
    .select(sql<number>`(extract(epoch FROM delivery.recorded_at) * 1000000)::bigint`.as("version"))
    .where("delivery.organization_id", "=", organizationId);

type Selection = {
  isRefused: boolean | undefined;
  isListened: boolean | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. */
export const listDeliveries = (
  db: DeliveriesDb,
  { organizationId, triggerId }: Place,
  { isRefused, isListened, beforeId, limit }: Selection,
): Promise<DeliveryRow[]> =>
  selectDeliveries(db, organizationId)
    .where("delivery.trigger_id", "=", triggerId)
    .$if(isRefused !== undefined, (query) => query.where("delivery.outcome", isRefused ? "=" : "!=", "refused"))
    .$if(isListened !== undefined, (query) => query.where("delivery.is_listened", "=", isListened === true))
    .$if(beforeId !== undefined, (query) => query.where("delivery.id", "<", beforeId as string))
    .orderBy("delivery.id", "desc")
    .limit(limit)
    .execute();

/** With the trigger data, which its run has where it started one. */
export const findDelivery = (db: DeliveriesDb, { organizationId, triggerId }: Place, deliveryId: string) =>
  selectDeliveries(db, organizationId)
    .leftJoin("run", (join) =>
      join.onRef("run.organization_id", "=", "delivery.organization_id").onRef("run.id", "=", "delivery.run_id"),
    )
    .select("delivery.is_truncated")
    .select(sql<string | null>`coalesce(delivery.data, run.trigger_data)`.as("data"))
    .where("delivery.trigger_id", "=", triggerId)
    .where("delivery.id", "=", deliveryId)
    .executeTakeFirst();

export const findDeliveries = (db: DeliveriesDb, organizationId: string, ids: string[]): Promise<DeliveryRow[]> =>
  selectDeliveries(db, organizationId).where("delivery.id", "=", sql<string>`ANY (${ids}::uuid[])`).execute();

type Changes = { organizationId: string; sinceMicroseconds: number; limit: number };

/** Oldest first. */
export async function listChangedDeliveries(
  db: DeliveriesDb,
  { organizationId, sinceMicroseconds, limit }: Changes,
): Promise<{ id: string; version: number }[]> {
  const since = sql`to_timestamp(${sinceMicroseconds / 1_000_000}::double precision)`;
  const { rows } = await sql<{ id: string; version: number }>`
    SELECT id, (extract(epoch FROM recorded_at) * 1000000)::bigint AS version FROM webhook_delivery
    WHERE organization_id = ${organizationId} AND recorded_at >= ${since} ORDER BY recorded_at, id LIMIT ${limit}`.execute(
    db,
  );
  return rows;
}
