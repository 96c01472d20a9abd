import type { Database, Sql, Statement } from "../../storage/database.ts";
import { boundsOf, type RunPlace } from "../store.ts";
import type { Fence } from "./checkpoint-store.ts";

// Runs that others wait for: what ties the two together.

/** A run that a node called and that has ended. Without a status it is gone. */
export type EndedCall = {
  nodeId: string;
  id: string;
  status: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  errorNodeId: string | null;
  workflowId: string;
  workflowVersion: number;
};

const endedCallsStatement: Statement = {
  name: "run_ended_calls",
  text: `SELECT "nodeId", id, status, "errorCode", "errorMessage", "errorNodeId", "workflowId", "workflowVersion" FROM (
           SELECT asked.node_id AS "nodeId", asked.id, asked.place, run.status, run.error_code AS "errorCode", run.error_message AS "errorMessage", run.error_node_id AS "errorNodeId",
             run.workflow_id AS "workflowId", run.workflow_version AS "workflowVersion",
             bool_or(COALESCE(run.status IN ('pending', 'running', 'waiting'), false)) OVER (PARTITION BY asked.node_id) AS goes_on
           FROM unnest($3::text[], $4::uuid[]) WITH ORDINALITY AS asked (node_id, id, place)
           LEFT JOIN run ON run.organization_id = $1 AND run.parent_run_id = $2 AND run.id = asked.id AND run.id >= $5 AND run.id <= $6
         ) AS called WHERE NOT goes_on ORDER BY place`,
};

/** Of nodes all of whose runs have ended, and of no others: each is read once. */
export async function findEnded(
  db: Database,
  { organizationId, id }: RunPlace,
  calls: { nodeId: string; runIds: string[] }[],
): Promise<EndedCall[]> {
  const runIds = calls.flatMap((call) => call.runIds);
  if (runIds.length === 0) return [];
  const nodeIds = calls.flatMap((call) => call.runIds.map(() => call.nodeId));
  return await db.prepared<EndedCall>(endedCallsStatement, [organizationId, id, nodeIds, runIds, ...boundsOf(runIds)]);
}

const openCallsStatement: Statement = {
  name: "",
  text: `SELECT id FROM run WHERE organization_id = $1 AND parent_run_id = $2 AND id = ANY ($3::uuid[]) AND status IN ('pending', 'running', 'waiting')`,
};

/** Which of the runs that one waits for go on. */
export async function findOpenCalls(sql: Sql, { organizationId, runId }: Fence, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await sql<{ id: string }>(openCallsStatement, [organizationId, runId, ids])).map(({ id }) => id));
}

// Whether it waits is judged after the lock: a condition in the statement would judge, and not lock, what was true before.
const lockParentStatement: Statement = {
  name: "",
  text: `SELECT organization_id AS "organizationId", id, status FROM run WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

export type Parent = RunPlace & { status: string };

/**
 * The run that called another one. Locked, so that one that is just about to wait is seen before or after;
 * to be called before its child is locked, as everywhere: older runs first, so that no two wait for each other.
 */
export const lockParent = (sql: Sql, { organizationId, id }: RunPlace): Promise<Parent[]> =>
  sql<Parent>(lockParentStatement, [organizationId, id]);
