import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { DeliveryRow, EventDb } from "./store.ts";

export type ClaimedDelivery = Pick<DeliveryRow, "id" | "type" | "payload" | "attempts"> & {
  organizationId: string;
  endpointId: string;
  eventId: string;
  createdAt: Date;
  claim: string;
  url: string;
  secretSealed: Buffer;
};

type Claim = { id: string; leaseMs: number; mostPerEndpoint: number; limit: number };

// An endpoint has only so many attempts under way, in all processes together, whatever waits for it; so a slow one does not hold up others.
// In a different order each time, because the limit may end the statement before the last endpoint.
// Without a name it is planned each time: a plan made while the table was small would read all of it when it is large.
const claimStatement = {
  name: "",
  text: `WITH due AS MATERIALIZED (
           SELECT next.organization_id, next.id, endpoint.url, endpoint.secret_sealed
           FROM (SELECT * FROM event_endpoint WHERE is_active ORDER BY random()) AS endpoint
           CROSS JOIN LATERAL (
             SELECT organization_id, id FROM event_delivery
             WHERE organization_id = endpoint.organization_id AND endpoint_id = endpoint.id
               AND status = 'pending' AND next_attempt_at <= now() AND (claim IS NULL OR claimed_until < now())
             ORDER BY next_attempt_at
             LIMIT greatest(0, $1 - (
               SELECT count(*) FROM event_delivery AS busy
               WHERE busy.organization_id = endpoint.organization_id AND busy.endpoint_id = endpoint.id
                 AND busy.claim IS NOT NULL AND busy.claimed_until >= now()
             ))
             FOR UPDATE SKIP LOCKED
           ) AS next
           LIMIT $2
         )
         UPDATE event_delivery AS delivery
         SET claim = $3, claimed_until = now() + $4 * interval '1 millisecond', attempts = attempts + 1
         FROM due WHERE delivery.organization_id = due.organization_id AND delivery.id = due.id
         RETURNING delivery.organization_id AS "organizationId", delivery.id, delivery.endpoint_id AS "endpointId",
           delivery.event_id AS "eventId", delivery.type, delivery.payload, delivery.attempts, delivery.created_at AS "createdAt",
           delivery.claim, due.url, due.secret_sealed AS "secretSealed"`,
};

/** Takes deliveries of all organizations that are due and that nobody attempts, or whose process has not said how it ended in time. */
export const claimDeliveries = (
  db: Database,
  { id, leaseMs, mostPerEndpoint, limit }: Claim,
): Promise<ClaimedDelivery[]> => db.prepared<ClaimedDelivery>(claimStatement, [mostPerEndpoint, limit, id, leaseMs]);

/** `waitMs`: until the next attempt, for what is still pending. */
export type Outcome = Pick<DeliveryRow, "last_status" | "last_error"> &
  ({ status: "pending"; waitMs: number } | { status: "delivered" | "failed" });

/** Writes nothing for an attempt that others have taken over in the meantime. */
export const settleDelivery = (db: EventDb, { organizationId, id, claim }: ClaimedDelivery, outcome: Outcome) =>
  db
    .updateTable("event_delivery")
    .set({
      status: outcome.status,
      last_status: outcome.last_status,
      last_error: outcome.last_error,
      claim: null,
      claimed_until: null,
      next_attempt_at:
        outcome.status === "pending" ? sql<Date>`now() + ${outcome.waitMs} * interval '1 millisecond'` : null,
      delivered_at: outcome.status === "delivered" ? sql<Date>`now()` : null,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("claim", "=", claim)
    .execute();

/** Unless it leads elsewhere by now. */
export const disableEndpoint = (db: EventDb, { organizationId, endpointId, url }: ClaimedDelivery, reason: string) =>
  db
    .updateTable("event_endpoint")
    .set({ is_active: false, disabled_reason: reason, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", endpointId)
    .where("url", "=", url)
    .execute();

const removeStatement = {
  name: "",
  text: `WITH old AS MATERIALIZED (
           SELECT old.organization_id, old.id FROM event_endpoint AS endpoint
           CROSS JOIN LATERAL (
             SELECT organization_id, id FROM event_delivery
             WHERE organization_id = endpoint.organization_id AND endpoint_id = endpoint.id AND id < $1
             ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
           ) AS old
           LIMIT $2
         )
         DELETE FROM event_delivery AS delivery USING old
         WHERE delivery.organization_id = old.organization_id AND delivery.id = old.id RETURNING delivery.id`,
};

/** The number of removed ones, at most `limit`. */
export const removeDeliveries = async (
  db: Database,
  { beforeId, limit }: { beforeId: string; limit: number },
): Promise<number> => (await db.prepared(removeStatement, [beforeId, limit])).length;
