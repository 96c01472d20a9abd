import type { Database, Statement } from "../storage/database.ts";
import type { WorkflowsDb } from "./store.ts";

const readStatement: Statement = {
  name: "workflow_defaults",
  text: `SELECT error_workflow_id AS "errorWorkflowId" FROM workflow_defaults WHERE organization_id = $1`,
};

export const findDefaultErrorWorkflow = async (db: Database, organizationId: string): Promise<string | null> =>
  (await db.prepared<{ errorWorkflowId: string | null }>(readStatement, [organizationId]))[0]?.errorWorkflowId ?? null;

const putStatement: Statement = {
  name: "workflow_defaults_put",
  text: `INSERT INTO workflow_defaults (organization_id, error_workflow_id) VALUES ($1, $2)
         ON CONFLICT (organization_id) DO UPDATE SET error_workflow_id = excluded.error_workflow_id`,
};

export async function putDefaultErrorWorkflow(db: Database, organizationId: string, id: string | null): Promise<void> {
  await db.prepared(putStatement, [organizationId, id]);
}

/** Two at most: enough to say that a name is not one workflow's alone. */
export const findByName = (db: WorkflowsDb, organizationId: string, name: string) =>
  db
    .selectFrom("workflow")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where("name", "=", name)
    .limit(2)
    .execute();
