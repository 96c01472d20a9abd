import { remember } from "../../base/remember.ts";
import type { TableOf } from "../../records/table-of.ts";
import type { Sql } from "../../storage/database.ts";
import {
  dataColumns,
  nodeBytesText,
  nodeColumnsText,
  type RunNodeRow,
  type WholeRunRow,
  wholeColumnsText,
  workflowText,
} from "../read/list-store.ts";
import { boundsOf, type RunPlace } from "../store.ts";
import { longestTogether } from "../walk/stored-nodes-store.ts";

// For all that wait at the same time together; the bounds keep a statement to the partitions that the runs lie in.
const asked = "unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, id)";
const runIn = (table: string): string =>
  `JOIN ${table} AS run ON run.organization_id = asked.organization_id AND run.id = asked.id AND run.id >= $3 AND run.id <= $4`;
const runOfAsked = runIn("run");

function valuesOf(places: RunPlace[]): unknown[] {
  const ids = places.map(({ id }) => id);
  return [places.map(({ organizationId }) => organizationId), ids, ...boundsOf(ids)];
}

/** Names a run together with its organization, for lists of several ones. */
export const keyOf = ({ organizationId, id }: RunPlace): string =>
  `${organizationId.toLowerCase()} ${id.toLowerCase()}`;

const placeText = 'asked.organization_id AS "organizationId"';

const endedStatement = {
  name: "runs_ended",
  text: `SELECT ${placeText}, run.id FROM ${asked} ${runOfAsked} WHERE run.status NOT IN ('pending', 'running', 'waiting')`,
};

export const findEnded = (sql: Sql, places: RunPlace[]): Promise<RunPlace[]> =>
  sql<RunPlace>(endedStatement, valuesOf(places));

export type Answered = { isOver: boolean; outputs: string | null };

const answersStatement = {
  name: "runs_answers",
  text: `SELECT ${placeText}, run.id, run.status NOT IN ('pending', 'running', 'waiting') AS "isOver",
           (SELECT outputs FROM run_node WHERE run_node.organization_id = run.organization_id AND run_node.run_id = run.id
              AND run_node.run_id >= $3 AND run_node.run_id <= $4 AND node_type = 'respond' AND run_node.status = 'succeeded'
            ORDER BY completed_at, node_id LIMIT 1) AS outputs
         FROM ${asked} ${runOfAsked}`,
};

/** What the first node that responds gave, by the key of the run. */
export async function findAnswers(sql: Sql, places: RunPlace[]): Promise<Map<string, Answered>> {
  const rows = await sql<Answered & RunPlace>(answersStatement, valuesOf(places));
  return new Map(rows.map((row) => [keyOf(row), { isOver: row.isOver, outputs: row.outputs }]));
}

// A run with more is read alone, so that it does not hold up others and all of them together need little memory.
// In the table itself the database keeps its plan; over all partitions it would make one each time, which takes longer than to read them.
const wholeStatement = remember((runTable: string) => ({
  name: `runs_whole_${runTable}`,
  text: `SELECT ${placeText}, ${wholeColumnsText} FROM ${asked} ${runIn(runTable)} ${workflowText}
         WHERE octet_length(run.trigger_data) <= ${longestTogether}`,
}));

export async function findWholeRuns(
  sql: Sql,
  places: RunPlace[],
  tableOf: TableOf,
): Promise<(WholeRunRow & RunPlace)[]> {
  const ids = places.map(({ id }) => id);
  return await sql<WholeRunRow & RunPlace>(wholeStatement(tableOf("run", ids)), valuesOf(places));
}

const whenSmall = (column: string): string =>
  `CASE WHEN SUM(${nodeBytesText}) OVER own <= ${longestTogether} THEN ${column} END AS ${column}`;

const nodesStatement = {
  name: "runs_nodes",
  text: `SELECT ${placeText}, asked.id, ${nodeColumnsText}, ${dataColumns.map(whenSmall).join(", ")},
           SUM(${nodeBytesText}) OVER own > ${longestTogether} AS "isLeftOut"
         FROM ${asked} JOIN run_node ON run_node.organization_id = asked.organization_id AND run_node.run_id = asked.id
           AND run_node.run_id >= $3 AND run_node.run_id <= $4
         WINDOW own AS (PARTITION BY asked.organization_id, asked.id)
         ORDER BY started_at, node_id`,
};

export const findNodesOfRuns = (sql: Sql, places: RunPlace[]): Promise<(RunNodeRow & RunPlace)[]> =>
  sql<RunNodeRow & RunPlace>(nodesStatement, valuesOf(places));
