import { remember } from "../../base/remember.ts";
import { type TableOf, wholeTable } from "../../records/table-of.ts";
import { arraysOf, type Columns, columnNames, unnest } from "../../storage/columns.ts";
import type { Database, Sql, Statement } from "../../storage/database.ts";
import type { StoredNode } from "./stored-nodes-store.ts";

/** The fencing token of a run, as its owner knows it; whoever adopted the run since makes the write come to nothing. */
export type Fence = { organizationId: string; runId: string; epoch: number };

export type NodeRow = Fence &
  Omit<StoredNode, "runId"> & {
    nodeType: string;
    input: string | null;
    filled: string | null;
    note: string | null;
    completedAt: Date | null;
  };

export const nodeColumns: Columns<NodeRow> = [
  ["organizationId", "organization_id", "uuid"],
  ["runId", "run_id", "uuid"],
  ["epoch", "epoch", "integer"],
  ["nodeId", "node_id", "text"],
  ["nodeType", "node_type", "text"],
  ["status", "status", "text"],
  ["attempts", "attempts", "integer"],
  ["done", "done", "integer"],
  ["input", "input", "text"],
  ["outputs", "outputs", "text"],
  ["filled", "filled", "text"],
  ["errorCode", "error_code", "text"],
  ["errorMessage", "error_message", "text"],
  ["note", "note", "text"],
  ["wakeAt", "wake_at", "timestamptz"],
  ["startedAt", "started_at", "timestamptz"],
  ["completedAt", "completed_at", "timestamptz"],
  ["durationMs", "duration_ms", "bigint"],
  ["mustNotRepeat", "must_not_repeat", "boolean"],
  ["items", "items", "text"],
  ["total", "total", "integer"],
  ["underWay", "under_way", "text"],
];

/** What becomes of the run itself. */
export type RunState = Fence & {
  status: "running" | "waiting" | "succeeded" | "failed" | "cancelled";
  errorCode: string | null;
  errorMessage: string | null;
  errorNodeId: string | null;
  startedAt: Date | null;
  wakeAt: Date | null;
  completedAt: Date | null;
  activeMs: number;
};

const stateColumns: Columns<RunState> = [
  ["organizationId", "organization_id", "uuid"],
  ["runId", "run_id", "uuid"],
  ["epoch", "epoch", "integer"],
  ["status", "status", "text"],
  ["errorCode", "error_code", "text"],
  ["errorMessage", "error_message", "text"],
  ["errorNodeId", "error_node_id", "text"],
  ["startedAt", "started_at", "timestamptz"],
  ["wakeAt", "wake_at", "timestamptz"],
  ["completedAt", "completed_at", "timestamptz"],
  ["activeMs", "active_ms", "bigint"],
];

const stored = nodeColumns.filter(([field]) => field !== "epoch");
const changed = stored
  .filter(([field]) => !["organizationId", "runId", "nodeId", "nodeType"].includes(field))
  .map(([, column]) => column);

// A row that is there already is changed as follows; checkpoint-store.test.ts prints the statement that comes out of it.

/** A node that runs again is stored as running before anything has come of it: what earlier attempts left in these columns stays. */
const keptWhileRunning = new Set(["input", "filled", "wake_at", "duration_ms"]);
/** The same for how far its items are, unless the row says that too. */
const keptWithoutItems = new Set(["done", "total", "outputs", "items"]);
/** Two rows of one attempt, the one that it runs and the one that it reaches out, may come in either order: what either says must stay. */
const isSameAttempt =
  "excluded.status = 'running' AND stored.status = 'running' AND stored.attempts = excluded.attempts";

function change(column: string): string {
  if (keptWhileRunning.has(column)) return keepWhen("excluded.status = 'running'", column);
  if (keptWithoutItems.has(column)) return keepWhen("excluded.status = 'running' AND excluded.items IS NULL", column);
  if (column === "must_not_repeat") return `${column} = excluded.${column} OR (${isSameAttempt} AND stored.${column})`;
  if (column === "under_way") return keepWhen(`excluded.${column} IS NULL AND ${isSameAttempt}`, column);
  return `${column} = excluded.${column}`;
}

const keepWhen = (condition: string, column: string): string =>
  `${column} = CASE WHEN ${condition} THEN stored.${column} ELSE excluded.${column} END`;

const placeColumns: Columns<Fence> = [
  ["organizationId", "organization_id", "uuid"],
  ["runId", "run_id", "uuid"],
  ["epoch", "epoch", "integer"],
];

// The lock makes it certain: whoever adopts the run afterwards sees what is written here, and whoever did before makes this write nothing.
const ownedOf = (runTable: string): string => `owned AS (
  SELECT run.organization_id, run.id, run.epoch FROM ${runTable} AS run
  JOIN ${unnest(placeColumns)} AS mine (${columnNames(placeColumns)})
    ON mine.organization_id = run.organization_id AND mine.run_id = run.id AND mine.epoch = run.epoch
  WHERE run.status IN ('pending', 'running', 'waiting')
  ORDER BY run.organization_id, run.id
  FOR NO KEY UPDATE OF run
)`;

/** Looked up in a hash. In a join the database takes `owned` for a single row and compares each of its rows with each of the others. */
const isOwnedRow = (row: string): string =>
  `CASE WHEN (${row}.organization_id, ${row}.run_id, ${row}.epoch) IN (SELECT owned.organization_id, owned.id, owned.epoch FROM owned)
    THEN true ELSE false END`;

const writeNodes = (nodeTable: string, firstParameter: number): string => `written AS (
  INSERT INTO ${nodeTable} AS stored (${columnNames(stored)})
  SELECT ${columnNames(stored)}
  FROM ${unnest(nodeColumns, firstParameter)}
    AS node (${columnNames(nodeColumns)})
  WHERE ${isOwnedRow("node")}
  ON CONFLICT (organization_id, run_id, node_id) DO UPDATE
    SET ${changed.map(change).join(",\n      ")}
    WHERE stored.status IN ('running', 'retrying', 'waiting')
)`;

const writeStates = (runTable: string, firstParameter: number): string => `changed_run AS (
  UPDATE ${runTable} AS run
    SET status = state.status,
      error_code = state.error_code,
      error_message = state.error_message,
      error_node_id = state.error_node_id,
      started_at = COALESCE(run.started_at, state.started_at),
      wake_at = state.wake_at,
      completed_at = state.completed_at,
      active_ms = state.active_ms,
      changed_at = clock_timestamp()
  FROM ${unnest(stateColumns, firstParameter)}
    AS state (${columnNames(stateColumns)})
  WHERE run.organization_id = state.organization_id AND run.id = state.run_id AND ${isOwnedRow("state")}
)`;

const firstOfNodes = placeColumns.length + 1;
const firstOfStates = firstOfNodes + nodeColumns.length;

const ownedRows = 'SELECT organization_id AS "organizationId", id AS "runId", epoch FROM owned';

// Without names they are planned each time: a plan made while the table was small reads all of an organization's runs for each of them
// when it is large, until the database has looked at the table again.
const nodesOnly = remember((runTable: string) =>
  remember(
    (nodeTable: string): Statement => ({
      name: "",
      text: `WITH ${ownedOf(runTable)}, ${writeNodes(nodeTable, firstOfNodes)} ${ownedRows}`,
    }),
  ),
);

const nodesAndStates = remember((runTable: string) =>
  remember(
    (nodeTable: string): Statement => ({
      name: "",
      text: `WITH ${ownedOf(runTable)}, ${writeNodes(nodeTable, firstOfNodes)}, ${writeStates(runTable, firstOfStates)} ${ownedRows}`,
    }),
  ),
);

/** Names a run as one of its owners knew it, whatever the case of its ids: the database writes them small. */
export const placeOf = ({ organizationId, runId, epoch }: Fence): string =>
  `${organizationId} ${runId} ${epoch}`.toLowerCase();

/** The runs that were still this owner's; for the others nothing was written. */
export async function writeCheckpoints(
  sql: Sql,
  nodes: NodeRow[],
  states: RunState[],
  tableOf: TableOf = wholeTable,
): Promise<Fence[]> {
  const places = new Map([...nodes, ...states].map((fence) => [placeOf(fence), fence]));
  const runIds = [...places.values()].map(({ runId }) => runId);
  const [runTable, nodeTable] = [tableOf("run", runIds), tableOf("run_node", runIds)];
  const values = [...arraysOf(placeColumns, [...places.values()]), ...arraysOf(nodeColumns, nodes)];
  if (states.length === 0) return await sql<Fence>(nodesOnly(runTable)(nodeTable), values);
  return await sql<Fence>(nodesAndStates(runTable)(nodeTable), [...values, ...arraysOf(stateColumns, states)]);
}

const isOwnedStatement: Statement = {
  name: "run_owned",
  text: "SELECT id FROM run WHERE organization_id = $1 AND id = $2 AND epoch = $3 FOR SHARE",
};

/** Whether nobody has adopted the run since; and nobody does before the transaction ends. */
export async function isOwned(sql: Sql, { organizationId, runId, epoch }: Fence): Promise<boolean> {
  return (await sql(isOwnedStatement, [organizationId, runId, epoch])).length > 0;
}

/** One statement needs no transaction around it. */
export const onPool =
  (db: Database): Sql =>
  (statement, values) =>
    db.prepared(statement, values);
