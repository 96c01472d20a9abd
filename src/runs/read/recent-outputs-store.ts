import type { Database } from "../../storage/database.ts";

/** Nodes of these types in the last runs of a workflow, from an id on. */
export type RecentNodes = { organizationId: string; workflowId: string; nodeTypes: string[]; fromId: string };

const mostRuns = 50;
const mostNodes = 200;
/** What is longer is left out. */
const longestText = 64 * 1024;

const recentOutputsStatement = {
  name: "run_recent_outputs",
  text: `WITH recent AS (
           SELECT id FROM run WHERE organization_id = $1 AND workflow_id = $2 AND id >= $4 ORDER BY id DESC LIMIT ${mostRuns}
         )
         SELECT node.outputs, CASE WHEN octet_length(node.input) <= ${longestText} THEN node.input ELSE '' END AS input
         FROM recent JOIN run_node AS node ON node.organization_id = $1 AND node.run_id = recent.id
         WHERE node.run_id >= $4 AND node.node_type = ANY ($3) AND octet_length(node.outputs) <= ${longestText}
         ORDER BY node.run_id DESC, node.node_id LIMIT ${mostNodes}`,
};

export const findRecentOutputs = (db: Database, { organizationId, workflowId, nodeTypes, fromId }: RecentNodes) =>
  db.prepared<{ outputs: string; input: string | null }>(recentOutputsStatement, [
    organizationId,
    workflowId,
    nodeTypes,
    fromId,
  ]);
