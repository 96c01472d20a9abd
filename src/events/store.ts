import type { Generated, Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { deliveryStatuses } from "./wire.ts";

type DeliveryStatus = (typeof deliveryStatuses)[number];

type EventTables = {
  event_endpoint: {
    organization_id: string;
    id: string;
    url: string;
    description: string;
    types: string[];
    secret_sealed: Buffer;
    is_active: Generated<boolean>;
    disabled_reason: string | null;
    created_by: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  event_delivery: {
    organization_id: string;
    id: string;
    endpoint_id: string;
    event_id: string;
    type: string;
    payload: string;
    status: DeliveryStatus;
    attempts: Generated<number>;
    next_attempt_at: Date | null;
    claim: string | null;
    claimed_until: Date | null;
    last_status: number | null;
    last_error: string | null;
    created_at: Generated<Date>;
    delivered_at: Date | null;
  };
};

export type EventDb = Kysely<EventTables>;
export type EndpointRow = Selectable<EventTables["event_endpoint"]>;
export type DeliveryRow = Selectable<EventTables["event_delivery"]>;

/** Names one endpoint. The organization always goes along, so that a foreign id finds nothing. */
export type EndpointPlace = { organizationId: string; endpointId: string };
export type DeliveryPlace = EndpointPlace & { deliveryId: string };

export const eventTables = (db: Database): EventDb => db.tables<EventTables>();

type NewEndpoint = Pick<
  EndpointRow,
  "organization_id" | "id" | "url" | "description" | "types" | "secret_sealed" | "created_by"
>;

/** Undefined when the organization has as many as it may have. */
export const insertEndpoint = (
  db: EventDb,
  row: NewEndpoint,
  mostPerOrganization: number,
): Promise<EndpointRow | undefined> =>
  db.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('switchyard event endpoints ' || ${row.organization_id}::text, 0))`.execute(
      transaction,
    );
    if ((await listEndpoints(transaction, row.organization_id)).length >= mostPerOrganization) return undefined;
    return await transaction.insertInto("event_endpoint").values(row).returningAll().executeTakeFirst();
  });

export const listEndpoints = (db: EventDb, organizationId: string) =>
  db
    .selectFrom("event_endpoint")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();

export const findEndpoint = (db: EventDb, { organizationId, endpointId }: EndpointPlace) =>
  db
    .selectFrom("event_endpoint")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", endpointId)
    .executeTakeFirst();

type ChangeableColumn = "url" | "description" | "types" | "is_active" | "disabled_reason";
type EndpointChange = { [Column in ChangeableColumn]?: EndpointRow[Column] | undefined };

export const updateEndpoint = (db: EventDb, { organizationId, endpointId }: EndpointPlace, change: EndpointChange) =>
  db
    .updateTable("event_endpoint")
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", endpointId)
    .returningAll()
    .executeTakeFirst();

/** One rotation after the other, so that every secret that was shown is either the current one or the one before. */
export const replaceSecret = (
  db: EventDb,
  place: EndpointPlace,
  replace: (row: EndpointRow) => Buffer,
): Promise<EndpointRow | undefined> =>
  db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom("event_endpoint")
      .selectAll()
      .where("organization_id", "=", place.organizationId)
      .where("id", "=", place.endpointId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!row) return undefined;
    return await transaction
      .updateTable("event_endpoint")
      .set({ secret_sealed: replace(row), updated_at: sql<Date>`now()` })
      .where("organization_id", "=", place.organizationId)
      .where("id", "=", place.endpointId)
      .returningAll()
      .executeTakeFirst();
  });

export async function deleteEndpoint(db: EventDb, { organizationId, endpointId }: EndpointPlace): Promise<boolean> {
  const query = db
    .deleteFrom("event_endpoint")
    .where("organization_id", "=", organizationId)
    .where("id", "=", endpointId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

// Deliveries as people see them

type NewDelivery = Pick<DeliveryRow, "organization_id" | "id" | "endpoint_id" | "event_id" | "type" | "payload">;

export const insertDelivery = (db: EventDb, row: NewDelivery) =>
  db
    .insertInto("event_delivery")
    .values({ ...row, status: "pending", next_attempt_at: sql<Date>`now()` })
    .returningAll()
    .executeTakeFirstOrThrow();

type DeliverySelection = { status?: DeliveryStatus | undefined; beforeId?: string | undefined; limit: number };

export const listDeliveries = (
  db: EventDb,
  { organizationId, endpointId }: EndpointPlace,
  { status, beforeId, limit }: DeliverySelection,
) =>
  db
    .selectFrom("event_delivery")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("endpoint_id", "=", endpointId)
    .$if(status !== undefined, (query) => query.where("status", "=", status as DeliveryStatus))
    .$if(beforeId !== undefined, (query) => query.where("id", "<", beforeId as string))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();

/** An attempt that is under way goes on; what it ends with counts. */
export const restartDelivery = (db: EventDb, { organizationId, endpointId, deliveryId }: DeliveryPlace) =>
  db
    .updateTable("event_delivery")
    .set({ status: "pending", attempts: 0, next_attempt_at: sql<Date>`now()`, delivered_at: null })
    .where("organization_id", "=", organizationId)
    .where("endpoint_id", "=", endpointId)
    .where("id", "=", deliveryId)
    .returningAll()
    .executeTakeFirst();
