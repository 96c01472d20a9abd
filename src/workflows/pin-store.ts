import { sql } from "kysely";
import type { Place, WorkflowsDb } from "./store.ts";

const pinsOf = (db: WorkflowsDb, { organizationId, workflowId }: Place) =>
  db.selectFrom("workflow_pin").where("organization_id", "=", organizationId).where("workflow_id", "=", workflowId);

export const findPin = (db: WorkflowsDb, place: Place, nodeId: string) =>
  pinsOf(db, place).selectAll().where("node_id", "=", nodeId).executeTakeFirst();

export const listPins = (db: WorkflowsDb, place: Place) => pinsOf(db, place).selectAll().orderBy("node_id").execute();

export async function listPinnedIds(db: WorkflowsDb, place: Place): Promise<string[]> {
  return (await pinsOf(db, place).select("node_id").execute()).map(({ node_id }) => node_id);
}

type NewPin = { node_id: string; outputs: string; pinned_by_name: string | null };

export async function putPin(db: WorkflowsDb, { organizationId, workflowId }: Place, row: NewPin): Promise<void> {
  const { outputs, pinned_by_name } = row;
  const pinned_at = sql<Date>`clock_timestamp()`;
  await db
    .insertInto("workflow_pin")
    .values({ organization_id: organizationId, workflow_id: workflowId, ...row, pinned_at })
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "workflow_id", "node_id"])
        .doUpdateSet({ outputs, pinned_by_name, pinned_at }),
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
