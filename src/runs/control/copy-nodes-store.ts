import { arraysOf, type Columns, columnNames, unnest } from "../../storage/columns.ts";
import type { Sql } from "../../storage/database.ts";
import type { ReusedNode } from "../walk/reuse-items.ts";

const copyNodesStatement = {
  name: "",
  text: `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, input, outputs, filled, error_code,
           error_message, note, wake_at, started_at, completed_at, duration_ms, items, total)
         SELECT organization_id, $3, node_id, node_type, status, attempts, done, input, outputs, filled, error_code,
           error_message, note, wake_at, started_at, completed_at, duration_ms, items, total
         FROM run_node WHERE organization_id = $1 AND run_id = $2 AND node_id = ANY ($4::text[])`,
};

const reusedColumns: Columns<ReusedNode> = [
  ["nodeId", "node_id", "text"],
  ["nodeType", "node_type", "text"],
  ["outputs", "outputs", "text"],
  ["items", "items", "text"],
  ["done", "done", "integer"],
  ["total", "total", "integer"],
];

const goOnStatement = {
  name: "",
  text: `INSERT INTO run_node (organization_id, run_id, status, attempts, wake_at, started_at, duration_ms, ${columnNames(reusedColumns)})
         SELECT $1, $2, 'retrying', 0, $3::timestamptz, $3::timestamptz, 0, * FROM ${unnest(reusedColumns, 4)}`,
};

type Copy = { organizationId: string; from: string; to: string; at: Date; nodeIds: string[]; reused: ReusedNode[] };

/** Gives a run what another one has finished, and of nodes that failed what to go on with. */
export async function copyNodes(sql: Sql, { organizationId, from, to, at, nodeIds, reused }: Copy): Promise<void> {
  if (nodeIds.length > 0) await sql(copyNodesStatement, [organizationId, from, to, nodeIds]);
  if (reused.length > 0) await sql(goOnStatement, [organizationId, to, at, ...arraysOf(reusedColumns, reused)]);
}
