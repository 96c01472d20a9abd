import { sql } from "kysely";
import type { Sql } from "../../storage/database.ts";
import type { Place, TriggerRow, TriggersDb } from "../store.ts";

/** As it was listed, as JSON. */
export type FaultyItem = { itemId: string; item: string; fault: string };

/** One that it is time to try again. */
export type DueItem = { item_id: string; item: string; tries: number };

/** Waiting for their next try, of one trigger. With more of them the mark stays where it is, so that none is lost. */
const mostWaiting = 500;
const mostGivenUp = 500;
/** Of either kind. */
const mostBytes = 64_000_000;
/** Of those that are tried again together. */
const mostBytesAtOnce = 16_000_000;
/** Over about two days, as the pauses double from a minute to six hours. */
const mostTries = 15;
const longestPauseSeconds = 6 * 3600;

const ofTrigger = ({ organization_id, id }: TriggerRow) =>
  sql`organization_id = ${organization_id} AND trigger_id = ${id}`;

/** The first of them that there is room for. One alone is kept whatever its size. */
export async function findThoseWithRoom(db: TriggersDb, row: TriggerRow, items: FaultyItem[]): Promise<FaultyItem[]> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    SELECT count(*)::int AS count, coalesce(sum(octet_length(item)), 0)::float8 AS bytes
    FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at IS NOT NULL`.execute(db);
  let { count, bytes } = rows[0] ?? { count: 0, bytes: 0 };
  return items.filter(({ item }) => {
    bytes += Buffer.byteLength(item);
    count += 1;
    return count === 1 || (count <= mostWaiting && bytes <= mostBytes);
  });
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
    SELECT organization_id, id, item_id, item, fault, 1, now() + interval '1 minute'
    FROM same, given JOIN seen USING (item_id)
    ON CONFLICT (organization_id, trigger_id, item_id) DO UPDATE
      SET item = excluded.item, fault = excluded.fault, tries = 1, tried_at = now(), next_try_at = excluded.next_try_at`.execute(
    db,
  );

export async function findDueAgain(db: TriggersDb, row: TriggerRow, limit: number): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    WITH due AS (
      SELECT item_id, next_try_at, sum(octet_length(item)) OVER (ORDER BY next_try_at, item_id) - octet_length(item) AS bytes_before
      FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at <= now()
      ORDER BY next_try_at, item_id LIMIT ${limit}
    )
    SELECT item_id, item, tries FROM faulty_item JOIN due USING (item_id)
    WHERE ${ofTrigger(row)} AND bytes_before < ${mostBytesAtOnce} ORDER BY due.next_try_at, item_id`.execute(db);
  return rows;
}

/** Unless another process tried it meanwhile. */
export const noteFaultAgain = (
  db: TriggersDb,
  row: TriggerRow,
  { item_id, tries, fault }: DueItem & { fault: string },
) =>
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

/** All of them, also those that were given up, at the next look. Versions before kept nothing of an item that is large. */
export const tryAllAgain = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  sql`UPDATE faulty_item SET tries = 0, next_try_at = now()
      WHERE organization_id = ${organizationId} AND trigger_id = ${triggerId} AND item IS NOT NULL`.execute(db);

export const forgetFaulty = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  sql`DELETE FROM faulty_item WHERE organization_id = ${organizationId} AND trigger_id = ${triggerId}`.execute(db);

/** Of those that were given up the newest are kept. */
export const pruneFaulty = (db: TriggersDb, row: TriggerRow, days: number) =>
  sql`DELETE FROM faulty_item WHERE ${ofTrigger(row)} AND item_id IN (
        SELECT item_id FROM (
          SELECT item_id, tried_at, row_number() OVER newest AS place, sum(octet_length(item)) OVER newest AS bytes
          FROM faulty_item WHERE ${ofTrigger(row)} AND next_try_at IS NULL
          WINDOW newest AS (ORDER BY tried_at DESC, item_id)
        ) AS given_up WHERE place > ${mostGivenUp} OR (place > 1 AND bytes > ${mostBytes}) OR tried_at < now() - ${days} * interval '1 day'
      )`.execute(db);
