import { type Kysely, sql } from "kysely";
import type { Database, Sql } from "../../storage/database.ts";
import { type Place, type TriggerRow, type TriggersDb, triggerTables } from "../store.ts";
import { forgetFaulty } from "./faulty-item-store.ts";

type PollTables = {
  polled_item: { organization_id: string; trigger_id: string; item_id: string; seen_at: Date };
};

export type PollsDb = TriggersDb & Kysely<PollTables>;

export const pollTables = (db: Database): PollsDb => triggerTables(db) as unknown as PollsDb;

/** A trigger that nobody else looks for until the lease is over, and the time of the database. */
export type ClaimedPoll = TriggerRow & { claimed_at: Date };

type Room = { looks: number; perOrganization: number; leaseSeconds: number; busy: ReadonlyMap<string, number> };

/** Takes what is due, a few of each organization, so that none of them holds up the others. Whoever takes one and dies leaves it to the next. */
export async function claimDue(
  db: PollsDb,
  { looks, perOrganization, leaseSeconds, busy }: Room,
): Promise<ClaimedPoll[]> {
  const { rows } = await sql<ClaimedPoll>`
    WITH due AS (
      SELECT trigger.organization_id, trigger.id, trigger.next_poll_at,
        row_number() OVER (PARTITION BY trigger.organization_id ORDER BY trigger.next_poll_at, trigger.id) AS place
      FROM trigger JOIN workflow ON workflow.organization_id = trigger.organization_id AND workflow.id = trigger.workflow_id
      WHERE trigger.next_poll_at <= now() AND workflow.deleted_at IS NULL
    ), taken AS (
      SELECT trigger.organization_id, trigger.id
      FROM due
        JOIN trigger ON trigger.organization_id = due.organization_id AND trigger.id = due.id
        LEFT JOIN unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::integer[]) AS busy (organization_id, looks)
          ON busy.organization_id = due.organization_id
      WHERE trigger.next_poll_at <= now() AND due.place + coalesce(busy.looks, 0) <= ${perOrganization}
      ORDER BY due.next_poll_at LIMIT ${looks}
      FOR NO KEY UPDATE OF trigger SKIP LOCKED
    )
    UPDATE trigger SET next_poll_at = now() + ${leaseSeconds} * interval '1 second' FROM taken
    WHERE trigger.organization_id = taken.organization_id AND trigger.id = taken.id
    RETURNING trigger.*, now() AS claimed_at`.execute(db);
  return rows;
}

/** Only while it looks where it looked when the row was read, and is on. */
const updateSame = (db: PollsDb, row: TriggerRow) =>
  db
    .updateTable("trigger")
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .where("is_active", "=", true)
    .where("poll_round", "=", row.poll_round);

/** False where the trigger began anew, or another look went on from the same place: what it stored is not set back. */
export async function storeMark(
  db: PollsDb,
  row: TriggerRow,
  { from, to }: { from: string | null; to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateSame(db, row)
    .set({ poll_mark: to, last_polled_at: sql<Date>`now()` })
    .where("poll_mark", "is not distinct from", from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Ended = {
  waitSeconds: number;
  nextInSeconds: number;
  /** For how long the service asked to be left alone. */
  aloneForSeconds?: number | undefined;
  error: string | null;
  hasStarted: boolean;
};

/** Says how a look went and when the next is due, unless the time for it was over or somebody wants another one now. */
export const endLook = (
  db: PollsDb,
  row: ClaimedPoll,
  { waitSeconds, nextInSeconds, aloneForSeconds, error, hasStarted }: Ended,
) =>
  updateSame(db, row)
    .set({
      poll_wait_seconds: waitSeconds,
      next_poll_at: sql<Date>`now() + ${nextInSeconds} * interval '1 second'`,
      poll_not_before:
        aloneForSeconds === undefined ? null : sql<Date>`now() + ${aloneForSeconds} * interval '1 second'`,
      last_error: error,
      ...(hasStarted ? { last_fired_at: sql<Date>`now()` } : {}),
    })
    .where("next_poll_at", "=", row.next_poll_at)
    .execute();

/** Of one that is on. */
export const lookNow = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  db
    .updateTable("trigger")
    .set({ next_poll_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId)
    .where("next_poll_at", "is not", null)
    .execute();

/** Which of these items the trigger has seen. Those that are still listed are remembered for longer. */
export async function findSeen(db: PollsDb, row: TriggerRow, itemIds: string[]): Promise<Set<string>> {
  const ofTrigger = sql`organization_id = ${row.organization_id} AND trigger_id = ${row.id} AND item_id = ANY (${itemIds}::text[])`;
  const { rows } = await sql<{ item_id: string; is_old: boolean }>`
    SELECT item_id, seen_at < now() - interval '1 day' AS is_old FROM polled_item WHERE ${ofTrigger}`.execute(db);
  if (rows.some(({ is_old }) => is_old))
    await sql`UPDATE polled_item SET seen_at = now() WHERE ${ofTrigger} AND seen_at < now() - interval '1 day'`.execute(
      db,
    );
  return new Set(rows.map(({ item_id }) => item_id));
}

/** Items that start nothing. */
export const noteItems = (db: PollsDb, row: TriggerRow, itemIds: string[]) =>
  sql`INSERT INTO polled_item (organization_id, trigger_id, item_id)
      SELECT same.organization_id, same.id, item_id
      FROM (
        SELECT organization_id, id FROM trigger
        WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND poll_round = ${row.poll_round} AND is_active FOR SHARE
      ) AS same, unnest(${itemIds}::text[]) AS given (item_id)
      ON CONFLICT DO NOTHING`.execute(db);

const noteWithRunStatement = {
  name: "poll_note_with_run",
  text: `INSERT INTO polled_item (organization_id, trigger_id, item_id)
         SELECT organization_id, id, $3 FROM trigger WHERE organization_id = $1 AND id = $2 AND poll_round = $4
         ON CONFLICT DO NOTHING RETURNING item_id`,
};

/**
 * In the transaction that stores the run of an item, in which the trigger is locked. False where the item was seen already or the trigger
 * began anew: then there must be no run.
 */
export const noteWithRun = async (sql: Sql, row: TriggerRow, itemId: string): Promise<boolean> =>
  (await sql(noteWithRunStatement, [row.organization_id, row.id, itemId, row.poll_round])).length > 0;

/** Those that were not listed for a long time, and are not to be tried again. */
export const pruneItems = (db: PollsDb, row: TriggerRow, days: number) =>
  sql`DELETE FROM polled_item AS old
      WHERE organization_id = ${row.organization_id} AND trigger_id = ${row.id} AND seen_at < now() - ${days} * interval '1 day'
        AND NOT EXISTS (
          SELECT FROM faulty_item
          WHERE organization_id = ${row.organization_id} AND trigger_id = ${row.id} AND faulty_item.item_id = old.item_id
        )`.execute(db);

export async function forgetItems(db: TriggersDb, place: Place): Promise<void> {
  await sql`DELETE FROM polled_item WHERE organization_id = ${place.organizationId} AND trigger_id = ${place.triggerId}`.execute(
    db,
  );
  await forgetFaulty(db, place);
}
