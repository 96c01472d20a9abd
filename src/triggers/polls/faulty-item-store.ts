import { sql } from "kysely";
import type { Sql } from "../../storage/database.ts";
import type { Place, TriggerRow, TriggersDb } from "../store.ts";

/** As it was listed, as JSON; null where it is too large to be kept. */
export type FaultyItem = { itemId: string; item: string | null; fault: string };

/** One that it is time to try again. */
export type DueItem = { item_id: string; item: string; tries: number };

/** Waiting for their next try, of one trigger. With more of them the mark stays where it is, so that none is lost. */
const mostWaiting = 500;
const mostGivenUp = 500;
/** Over about two days, as the pauses double from a minute to six hours. */
const mostTries = 15;
const longestPauseSeconds = 6 * 3600;

const ofTrigger = ({ organization_id, id }: TriggerRow) => sql`organization_id = ${organization_id} AND trigger_id = ${id}`;

export async function hasRoom(db: TriggersDb, row: TriggerRow, more: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at IS NOT NULL`.execute(db);
  return (rows[0]?.count ?? 0) + more <= mostWaiting;
}

/** Seen and faulty in one step; what somebody else took meanwhile stays as it is, and so does all of a trigger that began anew. */
export const noteFaulty = (db: TriggersDb, row: TriggerRow, items: FaultyItem[]) =>
  sql`
    WITH same AS (
      SELECT organization_id, id FROM trigger
      WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND poll_round = ${row.poll_round} AND is_active FOR SHARE
    ), given AS (
      SELECT * FROM unnest(
        ${items.map(({ itemId }) => itemId)}::text[], ${items.map(({ item }) => item)}::text[], ${items.map(({ fault }) => fault)}::text[]
      ) AS given (item_id, item, fault)
    ), seen AS (
      INSERT INTO polled_item (organization_id, trigger_id, item_id) SELECT organization_id, id, item_id FROM same, given
      ON CONFLICT DO NOTHING RETURNING item_id
    )
    INSERT INTO faulty_item (organization_id, trigger_id, item_id, item, fault, tries, next_try_at)
    SELECT organization_id, id, item_id, item, fault, 1, CASE WHEN item IS NOT NULL THEN now() + interval '1 minute' END
    FROM same, given JOIN seen USING (item_id)
    ON CONFLICT (organization_id, trigger_id, item_id) DO UPDATE
      SET item = excluded.item, fault = excluded.fault, tries = 1, tried_at = now(), next_try_at = excluded.next_try_at`.execute(db);

export async function findDueAgain(db: TriggersDb, row: TriggerRow, limit: number): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    SELECT item_id, item, tries FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at <= now()
    ORDER BY next_try_at, item_id LIMIT ${limit}`.execute(db);
  return rows;
}

/** Unless another process tried it meanwhile. */
export const noteFaultAgain = (db: TriggersDb, row: TriggerRow, { item_id, tries, fault }: DueItem & { fault: string }) =>
  sql`UPDATE faulty_item SET tries = tries + 1, fault = ${fault}, tried_at = now(), next_try_at =
        CASE WHEN tries + 1 < ${mostTries} THEN now() + least(60 * 2 ^ tries, ${longestPauseSeconds}) * interval '1 second' END
      WHERE ${ofTrigger(row)} AND item_id = ${item_id} AND tries = ${tries}`.execute(db);

/** Where it could not be tried at all. */
export const postpone = (db: TriggersDb, row: TriggerRow, { item_id, tries }: DueItem) =>
  sql`UPDATE faulty_item SET next_try_at = now() + interval '15 minutes'
      WHERE ${ofTrigger(row)} AND item_id = ${item_id} AND tries = ${tries}`.execute(db);

const leaveWithRunStatement = {
  name: "poll_leave_faulty",
  text: `DELETE FROM faulty_item USING trigger
         WHERE faulty_item.organization_id = $1 AND trigger_id = $2 AND item_id = $3
           AND trigger.organization_id = $1 AND trigger.id = $2 AND poll_round = $4
         RETURNING item_id`,
};

/** In the transaction that stores the run of an item, in which the trigger is locked. False where the item has its run, or must get none. */
export const leaveWithRun = async (sql: Sql, row: TriggerRow, itemId: string): Promise<boolean> =>
  (await sql(leaveWithRunStatement, [row.organization_id, row.id, itemId, row.poll_round])).length > 0;

/** One that starts nothing after all. */
export const leave = (db: TriggersDb, row: TriggerRow, itemId: string) =>
  sql`DELETE FROM faulty_item WHERE ${ofTrigger(row)} AND item_id = ${itemId}`.execute(db);

/** All of them, also those that were given up, at the next look. */
export const tryAllAgain = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  sql`UPDATE faulty_item SET tries = 0, next_try_at = now()
      WHERE organization_id = ${organizationId} AND trigger_id = ${triggerId} AND item IS NOT NULL`.execute(db);

export const forgetFaulty = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  sql`DELETE FROM faulty_item WHERE organization_id = ${organizationId} AND trigger_id = ${triggerId}`.execute(db);

/** Of those that were given up the newest are kept. */
export const pruneFaulty = (db: TriggersDb, row: TriggerRow, days: number) =>
  sql`DELETE FROM faulty_item WHERE ${ofTrigger(row)} AND item_id IN (
        SELECT item_id FROM (
          SELECT item_id, tried_at, row_number() OVER (ORDER BY tried_at DESC, item_id) AS place
          FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at IS NULL
        ) AS given_up WHERE place > ${mostGivenUp} OR tried_at < now() - ${days} * interval '1 day'
      )`.execute(db);
