import type { Sql } from "../../storage/database.ts";

// Runs that wait for others are not in the queue, but those they wait for are, or the ones below these.
const unendedStatement = {
  name: "",
  text: `WITH RECURSIVE known AS (
           SELECT unnest($2::uuid[]) AS id
           UNION SELECT run.parent_run_id FROM run JOIN known ON run.id = known.id WHERE run.organization_id = $1 AND run.parent_run_id IS NOT NULL
         )
         SELECT id, parent_run_id AS "parentRunId" FROM run
         WHERE organization_id = $1 AND id = ANY (ARRAY (SELECT id FROM known)) AND ($3::uuid IS NULL OR workflow_id = $3)
           AND status IN ('pending', 'running', 'waiting')
         ORDER BY id`,
};

type Unended = { organizationId: string; workflowId: string | null; queued: string[] };

/** Of some in the queue and of those that wait for them, the ones that have not ended. */
export const findUnended = (sql: Sql, { organizationId, workflowId, queued }: Unended) =>
  sql<{ id: string; parentRunId: string | null }>(unendedStatement, [organizationId, queued, workflowId]);
