import type { Database, Sql, Statement } from "../../storage/database.ts";
import type { RunKind } from "../accept/run-request.ts";

export type FailedRun = {
  organizationId: string;
  runId: string;
  errorWorkflowId: string;
  /** Null where the run is gone already. */
  run: {
    workflowId: string;
    workflowName: string;
    workflowVersion: number;
    kind: RunKind;
    errorCode: string;
    errorMessage: string;
    errorNodeId: string | null;
    queuedAt: Date;
    startedAt: Date | null;
    completedAt: Date;
  } | null;
};

type Row = Pick<FailedRun, "organizationId" | "runId" | "errorWorkflowId"> & NonNullable<FailedRun["run"]>;

const takeStatement: Statement = {
  name: "failed_run_take",
  text: `WITH failed_run AS (
           UPDATE failed_run SET due_at = now() + interval '30 seconds'
           WHERE (organization_id, run_id) IN
             (SELECT organization_id, run_id FROM failed_run WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
           RETURNING organization_id, run_id, error_workflow_id)
         SELECT failed_run.organization_id AS "organizationId", failed_run.run_id AS "runId", failed_run.error_workflow_id AS "errorWorkflowId",
           run.workflow_id AS "workflowId", coalesce(workflow.name, '') AS "workflowName", run.workflow_version AS "workflowVersion", run.kind,
           coalesce(run.error_code, '') AS "errorCode", coalesce(run.error_message, '') AS "errorMessage", nullif(run.error_node_id, '') AS "errorNodeId",
           run.queued_at AS "queuedAt", run.started_at AS "startedAt", run.completed_at AS "completedAt"
         FROM failed_run
         LEFT JOIN run ON run.organization_id = failed_run.organization_id AND run.id = failed_run.run_id
         LEFT JOIN workflow ON workflow.organization_id = run.organization_id AND workflow.id = run.workflow_id`,
};

/**
 * Some whose error workflow is still to be started, of all organizations. Nobody else gets them for a while; after that they are due again, unless
 * they are settled.
 */
export async function takeDue(db: Database, limit: number): Promise<FailedRun[]> {
  const rows = await db.prepared<Row>(takeStatement, [limit]);
  return rows.map(({ organizationId, runId, errorWorkflowId, ...run }) => ({
    organizationId,
    runId,
    errorWorkflowId,
    run: run.workflowId === null ? null : run,
  }));
}

type Place = Pick<FailedRun, "organizationId" | "runId">;

const settleStatement: Statement = {
  name: "failed_run_settle",
  text: "DELETE FROM failed_run WHERE organization_id = $1 AND run_id = $2 RETURNING run_id",
};

/** Whether it was still to be done. Whoever else does so at the same time waits for this transaction. */
export const settle = async (sql: Sql, { organizationId, runId }: Place): Promise<boolean> =>
  (await sql(settleStatement, [organizationId, runId])).length > 0;
