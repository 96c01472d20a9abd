import { sql } from "kysely";
import type { Place, TriggerRow, TriggersDb } from "./store.ts";

type Turn = { holder: string; turnMs: number };

/** The trigger as it is at that moment; null while it is somebody else's turn, undefined where there is no such trigger. */
export async function takeTurn(
  db: TriggersDb,
  place: Place,
  { holder, turnMs }: Turn,
): Promise<TriggerRow | null | undefined> {
  const { organizationId, triggerId } = place;
  const taken = await db
    .updateTable("trigger")
    .set({
      registering_by: holder,
      registering_until: sql<Date>`clock_timestamp() + ${turnMs} * interval '1 millisecond'`,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId)
    .where(({ or, eb }) =>
      or([eb("registering_until", "is", null), eb("registering_until", "<", sql<Date>`clock_timestamp()`)]),
    )
    .returningAll()
    .executeTakeFirst();
  if (taken) return taken;
  const query = db
    .selectFrom("trigger")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId);
  return (await query.executeTakeFirst()) ? null : undefined;
}

export const endTurn = (db: TriggersDb, { organizationId, triggerId }: Place, holder: string) =>
  db
    .updateTable("trigger")
    .set({ registering_by: null, registering_until: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId)
    .where("registering_by", "=", holder)
    .execute();
