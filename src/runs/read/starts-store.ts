import type { Database } from "../../storage/database.ts";
import type { RunKind } from "../accept/run-request.ts";

type StartedRuns = { organizationId: string; workflowId: string; fromId: string; most: number };
export type StartRow = { kind: RunKind; triggerId: string | null; count: number };

// The range of one workflow instead of an equality makes the planner take the index that begins with it.
const startsStatement = {
  name: "run_starts",
  text: `SELECT kind, trigger_id AS "triggerId", count(*)::integer AS count FROM (
           SELECT kind, trigger_id FROM run
           WHERE organization_id = $1 AND workflow_id >= $2 AND workflow_id <= $2 AND id >= $3
           ORDER BY workflow_id DESC, id DESC LIMIT $4
         ) AS started GROUP BY kind, trigger_id`,
};

/** Of the newest ones, so that a busy workflow takes no longer. */
export const countStarted = (db: Database, { organizationId, workflowId, fromId, most }: StartedRuns) =>
  db.prepared<StartRow>(startsStatement, [organizationId, workflowId, fromId, most]);
