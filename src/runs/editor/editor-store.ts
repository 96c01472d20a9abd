import { lookFirst } from "../../base/effect.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { RunPlace } from "../store.ts";

/** All runs of the editor that belong to one draft. */
export type DraftPlace = { organizationId: string; workflowId: string; basedOn: number };

const ownCanvasStatement = {
  name: "editor_run_canvas",
  text: "SELECT canvas FROM editor_run WHERE organization_id = $1 AND run_id = $2",
};

export const findOwnCanvas = async (db: Database, { organizationId, id }: RunPlace): Promise<string | null> =>
  (await db.prepared<{ canvas: string }>(ownCanvasStatement, [organizationId, id]))[0]?.canvas ?? null;

export type EditorRun = DraftPlace & {
  runId: string;
  canvas: string;
  fingerprints: string;
  writes: string[];
  takenRuns: string[];
};

const columns = "organization_id, run_id, workflow_id, based_on, canvas, fingerprints, writes, taken_runs";

const insertStatement = {
  name: "",
  text: `INSERT INTO editor_run (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7::text[], $8::uuid[])`,
};

export async function insertEditorRun(sql: Sql, run: EditorRun): Promise<void> {
  const { organizationId, runId, workflowId, basedOn, canvas, fingerprints, writes, takenRuns } = run;
  await sql(insertStatement, [organizationId, runId, workflowId, basedOn, canvas, fingerprints, writes, takenRuns]);
}

const findStatement = {
  name: "",
  text: `SELECT organization_id AS "organizationId", run_id AS "runId", workflow_id AS "workflowId", based_on AS "basedOn", canvas, fingerprints,
           writes, taken_runs AS "takenRuns" FROM editor_run WHERE organization_id = $1 AND run_id = $2`,
};

export const findEditorRun = async (db: Database, { organizationId, id }: RunPlace): Promise<EditorRun | undefined> =>
  (await db.prepared<EditorRun>(findStatement, [organizationId, id]))[0];

/** How many runs of a draft are looked at for outputs to take over. */
const mostLooked = 50;

// What a run was started with may be large, and only that of the last one is wanted.
const lastRunsStatement = {
  name: "editor_run_last",
  text: `WITH last AS (
           SELECT run_id, fingerprints, row_number() OVER (ORDER BY run_id DESC) AS place FROM editor_run
           WHERE organization_id = $1 AND workflow_id = $2 AND based_on = $3 ORDER BY run_id DESC LIMIT ${mostLooked}
         )
         SELECT last.run_id AS "runId", last.fingerprints, run.trigger_data AS "triggerData"
         FROM last LEFT JOIN run ON last.place = 1 AND run.organization_id = $1 AND run.id = last.run_id ORDER BY last.place`,
};

/** `triggerData` of the newest one only. */
export type LastEditorRun = { runId: string; fingerprints: string; triggerData: string | null };

/** The last ones of a draft, newest first. */
export const listLastRuns = (db: Database, { organizationId, workflowId, basedOn }: DraftPlace) =>
  db.prepared<LastEditorRun>(lastRunsStatement, [organizationId, workflowId, basedOn]);

const finishedStatement = {
  name: "editor_run_finished",
  text: `SELECT node.run_id AS "runId", node.node_id AS "nodeId", COALESCE(node.taken_from, node.run_id::text) AS "executedIn"
         FROM unnest($2::uuid[], $3::text[]) AS asked (run_id, node_id)
         JOIN run_node AS node ON node.organization_id = $1 AND node.run_id = asked.run_id AND node.node_id = asked.node_id
         WHERE node.status = 'succeeded' AND node.taken_from IS DISTINCT FROM 'pinned'`,
};

export type NodeOfRun = { runId: string; nodeId: string };
/** `executedIn`: the run that it was taken over from, or its own. */
type FinishedNode = NodeOfRun & { executedIn: string };

/** Those of the given nodes that succeeded there. */
export async function findFinished(db: Database, organizationId: string, asked: NodeOfRun[]): Promise<FinishedNode[]> {
  if (asked.length === 0) return [];
  const values = [asked.map(({ runId }) => runId), asked.map(({ nodeId }) => nodeId)];
  return await db.prepared<FinishedNode>(finishedStatement, [organizationId, ...values]);
}

const lockStatement = {
  name: "",
  text: "SELECT pg_advisory_xact_lock(hashtextextended('switchyard editor ' || $1::text || $2::text, 0))",
};

/** Who starts runs of one workflow in the editor does so one after the other, so that no two begin the same write. */
export async function lockWrites(sql: Sql, { organizationId, workflowId }: DraftPlace): Promise<void> {
  await sql(lockStatement, [organizationId, workflowId]);
}

// A node that failed before it had done anything may simply be executed again. One that is on its way counts, wherever its run is.
const doneText = `node.taken_from IS NULL AND (node.status IN ('succeeded', 'waiting') OR node.done > 0 OR node.must_not_repeat
  OR node.error_code = 'interrupted' OR right(node.error_message, ${lookFirst.length}) = '${lookFirst}')`;

const doneWritesStatement = {
  name: "",
  text: `SELECT DISTINCT ON (asked.node_id) asked.node_id AS "nodeId", editor_run.run_id AS "runId"
         FROM unnest($4::text[]) AS asked (node_id)
         JOIN editor_run ON editor_run.organization_id = $1 AND editor_run.workflow_id = $2 AND editor_run.based_on = $3
           AND asked.node_id = ANY (editor_run.writes)
         JOIN run ON run.organization_id = $1 AND run.id = editor_run.run_id
         LEFT JOIN run_node AS node ON node.organization_id = $1 AND node.run_id = editor_run.run_id AND node.node_id = asked.node_id
         WHERE run.status IN ('pending', 'running', 'waiting') OR (${doneText})
         ORDER BY asked.node_id, editor_run.run_id DESC`,
};

/** Which of the given nodes have done something in this draft, or are about to, and the last run in which they did. */
export async function findDoneWrites(
  sql: Sql,
  { organizationId, workflowId, basedOn }: DraftPlace,
  nodeIds: string[],
): Promise<NodeOfRun[]> {
  if (nodeIds.length === 0) return [];
  return await sql<NodeOfRun>(doneWritesStatement, [organizationId, workflowId, basedOn, nodeIds]);
}
