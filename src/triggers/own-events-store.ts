import { sql } from "kysely";
import type { TriggerRow, TriggersDb } from "./store.ts";

/** Whose effects they are, "" for everybody's, and within how many minutes they are counted. */
type Counted = { to: string; minutes: number };

/**
 * How often its own effects started a trigger within that time, this time included, over all processes. Receipts are counted for one person at
 * a time: 0 says that it is somebody else's minute.
 */
export async function countOwnEvent(
  db: TriggersDb,
  { organization_id, id }: TriggerRow,
  { to, minutes }: Counted,
): Promise<number> {
  const isOver = sql`(own_events_since IS NULL OR own_events_since <= now() - ${minutes} * interval '1 minute')`;
  const { rows } = await sql<{ events: number }>`
    UPDATE trigger SET
      own_events = CASE WHEN ${isOver} THEN 1 WHEN own_events_to = ${to} THEN own_events + 1 ELSE own_events END,
      own_events_to = CASE WHEN ${isOver} THEN ${to} ELSE own_events_to END,
      own_events_since = CASE WHEN ${isOver} THEN now() ELSE own_events_since END
    WHERE organization_id = ${organization_id} AND id = ${id}
    RETURNING CASE WHEN own_events_to = ${to} THEN own_events ELSE 0 END AS events`.execute(db);
  return rows[0]?.events ?? 0;
}

/** Whether it was this that turned it off. */
export async function stopTrigger(
  db: TriggersDb,
  { organization_id, id }: TriggerRow,
  reason: string,
): Promise<boolean> {
  const stopped = db
    .updateTable("trigger")
    .set({ is_active: false, stopped_reason: reason, next_poll_at: null, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", organization_id)
    .where("id", "=", id)
    .where("is_active", "=", true);
  return (await stopped.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Unless the trigger has another account by now. */
export const noteOwnSender = (
  db: TriggersDb,
  { organization_id, id, credential_id }: TriggerRow,
  ownSender: string | null,
) =>
  db
    .updateTable("trigger")
    .set({ own_sender: ownSender, own_sender_asked_at: sql<Date>`now()` })
    .where("organization_id", "=", organization_id)
    .where("id", "=", id)
    .where("credential_id", "=", credential_id)
    .execute();
