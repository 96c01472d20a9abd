import { sql } from "kysely";
import type { DraftRow, Place, WorkflowsDb } from "./store.ts";

type NewDraft = Omit<DraftRow, "organization_id" | "workflow_id" | "saved_at">;

const draftOf = (db: WorkflowsDb, { organizationId, workflowId }: Place) =>
  db
    .selectFrom("workflow_draft")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("workflow_id", "=", workflowId);

export const findDraft = (db: WorkflowsDb, place: Place): Promise<DraftRow | undefined> =>
  draftOf(db, place).executeTakeFirst();

/** What lists tell of drafts: neither their canvas nor their faults one by one. */
export type DraftHead = Omit<DraftRow, "canvas" | "canvas_sha256" | "faults">;

export async function findDraftHeads(
  db: WorkflowsDb,
  organizationId: string,
  workflowIds: string[],
): Promise<DraftHead[]> {
  if (workflowIds.length === 0) return [];
  return await db
    .selectFrom("workflow_draft")
    .select(["organization_id", "workflow_id", "revision", "based_on", "fault_count"])
    .select(["saved_by", "saved_by_key", "saved_by_name", "saved_at"])
    .where("organization_id", "=", organizationId)
    .where("workflow_id", "in", workflowIds)
    .execute();
}

/** In a transaction that holds the workflow. */
export async function putDraft(db: WorkflowsDb, { organizationId, workflowId }: Place, row: NewDraft): Promise<void> {
  const saved = { ...row, saved_at: sql<Date>`clock_timestamp()` };
  await db
    .insertInto("workflow_draft")
    .values({ organization_id: organizationId, workflow_id: workflowId, ...saved })
    .onConflict((conflict) => conflict.columns(["organization_id", "workflow_id"]).doUpdateSet(saved))
    .execute();
}

export async function deleteDraft(db: WorkflowsDb, { organizationId, workflowId }: Place): Promise<void> {
  await db
    .deleteFrom("workflow_draft")
    .where("organization_id", "=", organizationId)
    .where("workflow_id", "=", workflowId)
    .execute();
}

/** Published canvases and drafts in which a text occurs, whatever its case; a workflow may come twice. */
export async function findCanvasesWith(db: WorkflowsDb, organizationId: string, text: string) {
  const needle = text.toLowerCase();
  const published = db
    .selectFrom("workflow")
    .innerJoin("workflow_version as held", (join) =>
      join
        .onRef("held.organization_id", "=", "workflow.organization_id")
        .onRef("held.workflow_id", "=", "workflow.id")
        .onRef("held.version", "=", "workflow.version"),
    )
    .select(["workflow.id", "workflow.name", "held.canvas"])
    .where("workflow.organization_id", "=", organizationId)
    .where("workflow.deleted_at", "is", null)
    .where(sql<boolean>`strpos(lower(held.canvas), ${needle}) > 0`);
  const drafts = db
    .selectFrom("workflow")
    .innerJoin("workflow_draft as held", (join) =>
      join.onRef("held.organization_id", "=", "workflow.organization_id").onRef("held.workflow_id", "=", "workflow.id"),
    )
    .select(["workflow.id", "workflow.name", "held.canvas"])
    .where("workflow.organization_id", "=", organizationId)
    .where("workflow.deleted_at", "is", null)
    .where(sql<boolean>`strpos(lower(held.canvas), ${needle}) > 0`);
  return await published.unionAll(drafts).orderBy("name").orderBy("id").execute();
}
