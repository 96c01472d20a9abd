import type { Database, Sql } from "../../storage/database.ts";
import type { RunPlace } from "../store.ts";

export type StoredNode = {
  runId: string;
  nodeId: string;
  status: "running" | "retrying" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled";
  attempts: number;
  done: number;
  outputs: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  wakeAt: Date | null;
  startedAt: Date;
  durationMs: number;
  /** It reached out, or was about to, with something that may not be done twice. Says something while it runs only. */
  mustNotRepeat: boolean;
  /** What came of its items, as `writeItems` has it. */
  items: string | null;
  total: number;
  /** Places of the items that may have been done; null for all that are not. */
  underWay: string | null;
};

/** What is longer is read by itself, so that what is large is never here all at once. */
export const longestTogether = 64 * 1024;

/** `isCut`: it has outputs that are not in this row. */
export type CutNode = StoredNode & { isCut: boolean };

const storedNodesStatement = {
  name: "run_nodes_of_resumed",
  text: `SELECT node.run_id AS "runId", node.node_id AS "nodeId", node.status, node.attempts, node.done,
           CASE WHEN octet_length(node.outputs) <= ${longestTogether} THEN node.outputs END AS outputs,
           COALESCE(octet_length(node.outputs) > ${longestTogether}, false) AS "isCut",
           node.error_code AS "errorCode", node.error_message AS "errorMessage", node.wake_at AS "wakeAt",
           node.started_at AS "startedAt", node.duration_ms AS "durationMs",
           node.must_not_repeat AS "mustNotRepeat", node.items, node.total, node.under_way AS "underWay"
         FROM run_node AS node WHERE node.organization_id = $1 AND node.run_id = $2`,
};

export const findStoredNodes = (db: Database, { organizationId, id }: RunPlace): Promise<CutNode[]> =>
  db.prepared<CutNode>(storedNodesStatement, [organizationId, id]);

const outputsStatement = {
  name: "run_node_outputs",
  text: "SELECT outputs FROM run_node WHERE organization_id = $1 AND run_id = $2 AND node_id = $3",
};

export async function findOutputs(
  db: Database,
  { organizationId, id }: RunPlace,
  nodeId: string,
): Promise<string | null> {
  const [row] = await db.prepared<{ outputs: string | null }>(outputsStatement, [organizationId, id, nodeId]);
  return row?.outputs ?? null;
}

const noteAdoptionStatement = {
  name: "run_note_adoption",
  text: `UPDATE run SET adopted_at_mark = $4, adoptions_at_mark = CASE WHEN adopted_at_mark = $4 THEN adoptions_at_mark + 1 ELSE 1 END
         WHERE organization_id = $1 AND id = $2 AND epoch = $3 RETURNING adoptions_at_mark AS "adoptions"`,
};

/** How often the run was taken up anew where it stands, this time included. `mark` is where it stands. */
export async function noteAdoption(
  db: Database,
  { organizationId, id, epoch }: RunPlace & { epoch: number },
  mark: string,
): Promise<number> {
  const [row] = await db.prepared<{ adoptions: number }>(noteAdoptionStatement, [organizationId, id, epoch, mark]);
  return row?.adoptions ?? 0;
}

const forgetAdoptionsStatement = {
  name: "run_forget_adoptions",
  text: "UPDATE run SET adopted_at_mark = NULL WHERE organization_id = $1 AND id = $2 AND adopted_at_mark IS NOT NULL",
};

/** For a run that a process gave back by itself: it has harmed nobody. */
export async function forgetAdoptions(sql: Sql, { organizationId, id }: RunPlace): Promise<void> {
  await sql(forgetAdoptionsStatement, [organizationId, id]);
}
