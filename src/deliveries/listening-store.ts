import { sql } from "kysely";
import type { DeliveriesDb, Place } from "./delivery-store.ts";

/** Of workflows that are still there. */
export const findKind = (
  db: DeliveriesDb,
  { organizationId, triggerId }: Place,
): Promise<{ kind: string } | undefined> =>
  db
    .selectFrom("trigger")
    .innerJoin("workflow", (join) =>
      join
        .onRef("workflow.organization_id", "=", "trigger.organization_id")
        .onRef("workflow.id", "=", "trigger.workflow_id"),
    )
    .select("trigger.kind")
    .where("trigger.organization_id", "=", organizationId)
    .where("trigger.id", "=", triggerId)
    .where("workflow.deleted_at", "is", null)
    .executeTakeFirst();

/** Who begins while somebody listens already gets the whole time for both. */
export async function beginListening(db: DeliveriesDb, { organizationId, triggerId }: Place, seconds: number) {
  const { rows } = await sql<{ until: Date }>`
    INSERT INTO webhook_listening (organization_id, trigger_id, until)
    VALUES (${organizationId}, ${triggerId}, now() + ${seconds} * interval '1 second')
    ON CONFLICT (organization_id, trigger_id) DO UPDATE SET until = excluded.until RETURNING until`.execute(db);
  return rows[0]?.until as Date;
}

export const endListening = (db: DeliveriesDb, { organizationId, triggerId }: Place) =>
  db
    .deleteFrom("webhook_listening")
    .where("organization_id", "=", organizationId)
    .where("trigger_id", "=", triggerId)
    .execute();

/** Whether somebody listened until now; of several deliveries at the same moment one is told so. */
export async function takeListening(db: DeliveriesDb, { organizationId, triggerId }: Place): Promise<boolean> {
  const query = db
    .deleteFrom("webhook_listening")
    .where("organization_id", "=", organizationId)
    .where("trigger_id", "=", triggerId)
    .where("until", ">", sql<Date>`now()`);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

export const findListening = (db: DeliveriesDb, { organizationId, triggerId }: Place) =>
  db
    .selectFrom("webhook_listening")
    .select("until")
    .where("organization_id", "=", organizationId)
    .where("trigger_id", "=", triggerId)
    .where("until", ">", sql<Date>`now()`)
    .executeTakeFirst();
