import { type Insertable, type Kysely, type Selectable, sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { TriggerTables } from "./trigger-tables.ts";

export type TriggersDb = Kysely<TriggerTables>;
export type TriggerRow = Selectable<TriggerTables["trigger"]>;
/** What a poll keeps back; null of other triggers. */
type FaultyItems = { waiting: number; givenUp: number; lastFault: string | null };
export type NamedTriggerRow = TriggerRow & { workflow_name: string; faulty_items: FaultyItems | null };

/** Names one trigger. The organization always goes along, so that a foreign id finds nothing. */
export type Place = { organizationId: string; triggerId: string };

export const triggerTables = (db: Database): TriggersDb => db.tables<TriggerTables>();

/** What is due is judged by one clock, whatever the processes' own say. */
export async function readDatabaseClock(db: TriggersDb): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(db);
  return rows[0]?.now as Date;
}

export const findWorkflow = (db: TriggersDb, organizationId: string, workflowId: string) =>
  db
    .selectFrom("workflow")
    .select("name")
    .where("organization_id", "=", organizationId)
    .where("id", "=", workflowId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();

/** Of workflows that are still there. */
const selectTriggers = (db: TriggersDb) =>
  db
    .selectFrom("trigger")
    .innerJoin("workflow", (join) =>
      join
        .onRef("workflow.organization_id", "=", "trigger.organization_id")
        .onRef("workflow.id", "=", "trigger.workflow_id"),
    )
    .where("workflow.deleted_at", "is", null)
    .selectAll("trigger")
    .select("workflow.name as workflow_name")
    .select(
      sql<FaultyItems | null>`CASE WHEN trigger.kind = 'poll' THEN (
        SELECT json_build_object(
          'waiting', count(next_try_at), 'givenUp', count(*) - count(next_try_at), 'lastFault', (array_agg(fault ORDER BY tried_at DESC))[1]
        ) FROM faulty_item AS item WHERE item.organization_id = trigger.organization_id AND item.trigger_id = trigger.id
      ) END`.as("faulty_items"),
    );

type ListSelection = {
  workflowId: string | undefined;
  isFailing: boolean | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. */
export const listTriggers = (
  db: TriggersDb,
  organizationId: string,
  { workflowId, isFailing, beforeId, limit }: ListSelection,
) =>
  selectTriggers(db)
    .where("trigger.organization_id", "=", organizationId)
    .$if(workflowId !== undefined, (query) => query.where("trigger.workflow_id", "=", workflowId as string))
    .$if(isFailing !== undefined, (query) =>
      query.where(
        sql<boolean>`((trigger.is_active AND trigger.last_error IS NOT NULL) OR trigger.stopped_reason IS NOT NULL) = ${isFailing}`,
      ),
    )
    .$if(beforeId !== undefined, (query) => query.where("trigger.id", "<", beforeId as string))
    .orderBy("trigger.id", "desc")
    .limit(limit)
    .execute();

/** Those that check deliveries or look with a credential, and those in whose overrides a text occurs, whatever its case. */
export const listTriggersWith = (
  db: TriggersDb,
  organizationId: string,
  { credentialId, text }: { credentialId: string; text: string },
) =>
  selectTriggers(db)
    .where("trigger.organization_id", "=", organizationId)
    .where((where) =>
      where.or([
        where("trigger.credential_id", "=", credentialId),
        sql<boolean>`strpos(lower(trigger.overrides), ${text.toLowerCase()}) > 0`,
      ]),
    )
    .orderBy("trigger.name")
    .orderBy("trigger.id")
    .execute();

/** By workflow; those without any are missing. */
export const countTriggers = (db: TriggersDb, organizationId: string, workflowIds: string[]) =>
  db
    .selectFrom("trigger")
    .select(({ fn }) => [
      "workflow_id",
      fn.countAll<number>().as("total"),
      fn.countAll<number>().filterWhere("is_active", "=", true).as("active"),
    ])
    .where("organization_id", "=", organizationId)
    .where("workflow_id", "=", sql<string>`ANY (${workflowIds}::uuid[])`)
    .groupBy("workflow_id")
    .execute();

type Page = { search?: string | undefined; beforeId: string | undefined; offset: number; limit: number };

export async function pageOfTriggers(
  db: TriggersDb,
  organizationId: string,
  { search, beforeId, offset, limit }: Page,
) {
  const found = selectTriggers(db)
    .where("trigger.organization_id", "=", organizationId)
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`position(lower(${search}) IN lower(trigger.name || ' ' || workflow.name)) > 0`),
    );
  const [counted, rows] = await Promise.all([
    found
      .clearSelect()
      .select((select) => select.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow(),
    found
      .$if(beforeId !== undefined, (query) => query.where("trigger.id", "<", beforeId as string))
      .orderBy("trigger.id", "desc")
      .offset(offset)
      .limit(limit)
      .execute(),
  ]);
  return { total: Number(counted.total), rows: rows as NamedTriggerRow[] };
}

export const findTrigger = (
  db: TriggersDb,
  { organizationId, triggerId }: Place,
): Promise<NamedTriggerRow | undefined> =>
  selectTriggers(db)
    .where("trigger.organization_id", "=", organizationId)
    .where("trigger.id", "=", triggerId)
    .executeTakeFirst();

/** Until the end of the transaction nobody changes the trigger and no run is accepted for it. */
export const lockTrigger = (
  db: TriggersDb,
  { organizationId, triggerId }: Place,
): Promise<NamedTriggerRow | undefined> =>
  selectTriggers(db)
    .where("trigger.organization_id", "=", organizationId)
    .where("trigger.id", "=", triggerId)
    .forNoKeyUpdate("trigger")
    .executeTakeFirst();

export type WebhookRow = NamedTriggerRow & { read_at: Date; is_listened: boolean };

/** By its id alone: whoever delivers knows no organization. With the time, because a process may have a wrong one. */
export const findWebhook = (db: TriggersDb, triggerId: string): Promise<WebhookRow | undefined> =>
  selectTriggers(db)
    .select(sql<Date>`now()`.as("read_at"))
    .select(
      sql<boolean>`EXISTS (SELECT FROM webhook_listening AS listening
        WHERE listening.organization_id = trigger.organization_id AND listening.trigger_id = trigger.id AND listening.until > now())`.as(
        "is_listened",
      ),
    )
    .where("trigger.id", "=", triggerId)
    .where("trigger.kind", "=", "webhook")
    .executeTakeFirst();

export const insertTrigger = (db: TriggersDb, row: Insertable<TriggerTables["trigger"]>) =>
  db.insertInto("trigger").values(row).execute();

export type TriggerUpdate = Partial<
  Pick<
    TriggerRow,
    | "name"
    | "is_active"
    | "overrides"
    | "prompt"
    | "cron"
    | "time_zone"
    | "next_fire_at"
    | "credential_id"
    | "token_sha256"
    | "secret_sealed"
    | "methods"
    | "answer_within_seconds"
    | "last_error"
    | "takes_bots"
    | "events"
    | "places"
    | "filter"
    | "stopped_reason"
    | "registered_place"
    | "own_events_since"
    | "own_sender"
    | "own_sender_asked_at"
    | "poll_id"
    | "poll_parameters"
    | "poll_every_seconds"
    | "poll_takes_existing"
    | "poll_mark"
    | "poll_round"
    | "poll_wait_seconds"
    | "last_polled_at"
    | "next_poll_at"
    | "poll_not_before"
  >
>;

/** Waits for runs that are being accepted for the trigger; what comes after it sees the change. */
export async function updateTrigger(
  db: TriggersDb,
  { organizationId, triggerId }: Place,
  update: TriggerUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("trigger")
    .set({ ...update, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteTrigger(db: TriggersDb, { organizationId, triggerId }: Place): Promise<boolean> {
  const query = db.deleteFrom("trigger").where("organization_id", "=", organizationId).where("id", "=", triggerId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

export const listDue = (db: TriggersDb, now: Date, limit: number): Promise<NamedTriggerRow[]> =>
  selectTriggers(db).where("trigger.next_fire_at", "<=", now).orderBy("trigger.next_fire_at").limit(limit).execute();

type Fired = { next: Date; firedAt: Date | null; error: string | null };

/** Goes on to the next tick, unless somebody else did or the schedule was changed or turned off meanwhile. */
export const moveOn = (db: TriggersDb, row: TriggerRow, { next, firedAt, error }: Fired) =>
  db
    .updateTable("trigger")
    .set({ next_fire_at: next, last_error: error, ...(firedAt ? { last_fired_at: firedAt } : {}) })
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .where("next_fire_at", "=", row.next_fire_at)
    .where("cron", "=", row.cron)
    .where("time_zone", "=", row.time_zone)
    .execute();

export const noteDelivery = (db: TriggersDb, row: TriggerRow, note: { error: string } | { firedAt: Date }) =>
  db
    .updateTable("trigger")
    .set("error" in note ? { last_error: note.error } : { last_fired_at: note.firedAt, last_error: null })
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .execute();
