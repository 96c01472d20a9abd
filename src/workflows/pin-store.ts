import { sql } from "kysely";
import type { Place, WorkflowsDb } from "./store.ts";

const pinsOf = (db: WorkflowsDb, { organizationId, workflowId }: Place) =>
  db.selectFrom("workflow_pin").where("organization_id", "=", organizationId).where("workflow_id", "=", workflowId);

export const findPin = (db: WorkflowsDb, place: Place, nodeId: string) =>
  pinsOf(db, place).selectAll().where("node_id", "=", nodeId).executeTakeFirst();

export const listPins = (db: WorkflowsDb, place: Place) =>
  pinsOf(db, place).select(["node_id", "outputs"]).orderBy("node_id").execute();

const bytes = sql<number>`octet_length(outputs)`;

/** Of what was pinned before the number was kept. */
const itemCount = sql<number>`coalesce(item_count,
  (SELECT coalesce(sum(json_array_length(items)), 0)::integer FROM json_each(outputs::json) AS way (name, items)))`;

/** What is known of them, without reading the data but for old ones. */
export const listPinHeads = (db: WorkflowsDb, place: Place) =>
  pinsOf(db, place)
    .select(["node_id", itemCount.as("item_count"), "pinned_by_name", "pinned_at", bytes.as("bytes")])
    .orderBy("node_id")
    .execute();

/** Of all nodes but this one. */
export async function sumOtherBytes(db: WorkflowsDb, place: Place, nodeId: string): Promise<number> {
  const others = pinsOf(db, place).where("node_id", "!=", nodeId);
  const { total } = await others
    .select(sql<string | null>`sum(octet_length(outputs))`.as("total"))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

export async function listPinnedIds(db: WorkflowsDb, place: Place): Promise<string[]> {
  return (await pinsOf(db, place).select("node_id").execute()).map(({ node_id }) => node_id);
}

type NewPin = { node_id: string; outputs: string; item_count: number; pinned_by_name: string | null };

export async function putPin(db: WorkflowsDb, { organizationId, workflowId }: Place, row: NewPin): Promise<void> {
  const { outputs, item_count, pinned_by_name } = row;
  const pinned_at = sql<Date>`clock_timestamp()`;
  await db
    .insertInto("workflow_pin")
    .values({ organization_id: organizationId, workflow_id: workflowId, ...row, pinned_at })
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "workflow_id", "node_id"])
        .doUpdateSet({ outputs, item_count, pinned_by_name, pinned_at }),
    )
    .execute();
}

export async function deletePins(
  db: WorkflowsDb,
  { organizationId, workflowId }: Place,
  nodeIds: string[],
): Promise<number> {
  if (nodeIds.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom("workflow_pin")
    .where("organization_id", "=", organizationId)
    .where("workflow_id", "=", workflowId)
    .where("node_id", "in", nodeIds)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
