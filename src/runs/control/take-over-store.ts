import { arraysOf, type Columns, columnNames, unnest } from "../../storage/columns.ts";
import type { Sql } from "../../storage/database.ts";
import type { ReusedNode } from "../walk/reuse-items.ts";

const copyNodesStatement = {
  name: "",
  text: `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, input, outputs, filled, error_code,
           error_message, note, wake_at, started_at, completed_at, duration_ms, items, total, taken_from)
         SELECT organization_id, $3, node_id, node_type, status, attempts, done, input, outputs, filled, error_code,
           error_message, note, wake_at, started_at, completed_at, duration_ms, items, total, COALESCE(taken_from, run_id::text)
         FROM run_node WHERE organization_id = $1 AND run_id = $2 AND node_id = ANY ($4::text[])`,
};

export type PinnedNode = { nodeId: string; nodeType: string; outputs: string };

const pinnedColumns: Columns<PinnedNode> = [
  ["nodeId", "node_id", "text"],
  ["nodeType", "node_type", "text"],
  ["outputs", "outputs", "text"],
];

const pinnedStatement = {
  name: "",
  text: `INSERT INTO run_node (organization_id, run_id, status, attempts, done, started_at, completed_at, duration_ms, taken_from, ${columnNames(pinnedColumns)})
         SELECT $1, $2, 'succeeded', 0, 0, $3::timestamptz, $3::timestamptz, 0, 'pinned', * FROM ${unnest(pinnedColumns, 4)}`,
};

const reusedColumns: Columns<ReusedNode> = [
  ...pinnedColumns,
  ["items", "items", "text"],
  ["done", "done", "integer"],
  ["total", "total", "integer"],
];

const goOnStatement = {
  name: "",
  text: `INSERT INTO run_node (organization_id, run_id, status, attempts, wake_at, started_at, duration_ms, ${columnNames(reusedColumns)})
         SELECT $1, $2, 'retrying', 0, $3::timestamptz, $3::timestamptz, 0, * FROM ${unnest(reusedColumns, 4)}`,
};

/** What a run has before anything of it is executed. */
export type TakenOver = {
  /** Run to the nodes that it has finished. */
  finished: ReadonlyMap<string, string[]>;
  pinned: readonly PinnedNode[];
  /** Nodes that failed, with what to go on from. */
  reused: readonly ReusedNode[];
};

type To = { organizationId: string; runId: string; at: Date };

/** Gives a run what it does not execute itself. Each node says where its outputs come from. */
export async function takeOver(
  sql: Sql,
  { organizationId, runId, at }: To,
  { finished, pinned, reused }: TakenOver,
): Promise<void> {
  for (const [from, nodeIds] of finished) await sql(copyNodesStatement, [organizationId, from, runId, nodeIds]);
  if (pinned.length > 0) await sql(pinnedStatement, [organizationId, runId, at, ...arraysOf(pinnedColumns, pinned)]);
  if (reused.length > 0) await sql(goOnStatement, [organizationId, runId, at, ...arraysOf(reusedColumns, reused)]);
}
