import type { RunStatement } from "../storage/database.ts";
import { nodeColumnsText, type RunNodeRow, type WholeRunRow, wholeColumnsText, workflowText } from "./list-store.ts";
import { boundsOf, type RunPlace } from "./store.ts";

// For all that wait at the same time together; the bounds keep a statement to the partitions that the runs lie in.
const asked = "unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)";
const runOfAsked = "JOIN run ON run.organization_id = asked.organization_id AND run.id = asked.id AND run.id >= $3 AND run.id <= $4";

function valuesOf(places: RunPlace[]): unknown[] {
  const ids = places.map(({ id }) => id);
  return [places.map(({ organizationId }) => organizationId), ids, ...boundsOf(ids)];
}

const endedStatement = {
  name: "runs_ended",
  text: `SELECT run.id FROM ${asked} ${runOfAsked} WHERE run.status NOT IN ('pending', 'running', 'waiting')`,
};

export async function findEnded(run: RunStatement, places: RunPlace[]): Promise<Set<string>> {
  return new Set((await run<{ id: string }>(endedStatement, valuesOf(places))).map(({ id }) => id));
}

const wholeStatement = { name: "runs_whole", text: `SELECT ${wholeColumnsText} FROM ${asked} ${runOfAsked} ${workflowText}` };

export const findWholeRuns = (run: RunStatement, places: RunPlace[]): Promise<WholeRunRow[]> =>
  run<WholeRunRow>(wholeStatement, valuesOf(places));

/** Longer outputs are left out, so that those of one run do not hold up others. */
const longestTogether = 64 * 1024;

export type NodeOfSeveral = RunNodeRow & { runId: string; isCut: boolean };

const nodesStatement = {
  name: "runs_nodes",
  text: `SELECT run_node.run_id AS "runId", ${nodeColumnsText}, COALESCE(octet_length(outputs) > ${longestTogether}, false) AS "isCut",
           CASE WHEN octet_length(outputs) <= ${longestTogether} THEN outputs END AS outputs
         FROM ${asked} JOIN run_node ON run_node.organization_id = asked.organization_id AND run_node.run_id = asked.id
           AND run_node.run_id >= $3 AND run_node.run_id <= $4
         ORDER BY started_at, node_id`,
};

export const findNodesOfRuns = (run: RunStatement, places: RunPlace[]): Promise<NodeOfSeveral[]> =>
  run<NodeOfSeveral>(nodesStatement, valuesOf(places));
