import type { Item, TriggerData } from "../../workflows/engine-node.ts";
import type { Canvas, LastRun, NodeOverride } from "../../workflows/wire.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";
import { itemsOf, type Settled, toRootItem } from "../walk/incoming.ts";
import { readOrigins } from "../walk/node/item-progress.ts";
import { resultOf, resultSources } from "../walk/result-of.ts";
import type { Run, RunEntry, RunNode } from "../wire.ts";
import type { LastRunRow, RunNodeRow, RunRow, WholeRunRow } from "./list-store.ts";

export function toEntry(row: RunRow): RunEntry {
  const { id, workflowId, workflowVersion, workflowDeleted, status, triggerId, apiKeyId, apiKeyName } = row;
  const { apiKeyDeleted, userId, userName, oauthClientId, oauthClientName, rerunOf, parentRunId } = row;
  return {
    id,
    workflowId,
    workflowVersion,
    workflowDeleted,
    status,
    triggerId,
    apiKeyId,
    apiKeyName,
    apiKeyDeleted,
    userId,
    userName,
    oauthClientId,
    oauthClientName,
    rerunOf,
    parentRunId,
    workflowName: row.workflowName ?? "",
    executionType: row.kind,
    error:
      row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "", nodeId: row.errorNodeId },
    createdAt: row.queuedAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    wakeAt: row.wakeAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    durationMs: row.startedAt === null ? null : row.activeMs,
  };
}

export const toLastRun = ({ id, status, queuedAt, completedAt }: LastRunRow): LastRun => ({
  id,
  status,
  createdAt: queuedAt.toISOString(),
  completedAt: completedAt?.toISOString() ?? null,
});

/** A run with every node of its canvas, whether it was reached or not. */
export function toRun(row: WholeRunRow, rows: RunNodeRow[], graph: Graph, canvas: Canvas | null = null): Run {
  const stored = new Map(rows.map((one) => [one.nodeId, one]));
  const trigger = JSON.parse(row.triggerData) as TriggerData;
  return {
    ...toEntry(row),
    trigger,
    overrides: JSON.parse(row.overrides ?? "[]") as NodeOverride[],
    traceId: row.traceId,
    nodes: [...graph.values()].map((node) => toNode(node, stored.get(node.id), row.status)),
    canvas,
    variables: JSON.parse(row.variables ?? "null") as Run["variables"],
    result:
      row.status === "succeeded" && !isResultLeftOut(rows, graph)
        ? resultOf(graph, readSettled(rows), toRootItem(trigger.payload))
        : null,
  };
}

/** Too large for one answer, or made of something that is. */
function isResultLeftOut(rows: RunNodeRow[], graph: Graph): boolean {
  const sources = new Set(resultSources(graph));
  return rows.some(({ nodeId, isLeftOut }) => isLeftOut && sources.has(nodeId));
}

export function readSettled(rows: Pick<RunNodeRow, "nodeId" | "status" | "outputs" | "items">[]): Map<string, Settled> {
  const settled = new Map<string, Settled>();
  for (const { nodeId, status, outputs, items } of rows)
    if (status === "succeeded" || status === "failed")
      settled.set(nodeId, { status, outputs: readOutputs(outputs), origins: readOrigins(items) });
  return settled;
}

const notReached = {
  pending: "pending",
  running: "pending",
  waiting: "pending",
  succeeded: "skipped",
  failed: "skipped",
  cancelled: "cancelled",
} as const;

/** A node of the canvas with what is stored of it, if anything is. */
export function toNode({ id, type }: GraphNode, row: RunNodeRow | undefined, runStatus: RunRow["status"]): RunNode {
  if (!row) return { ...untouched, id, nodeId: type, status: notReached[runStatus] };
  const ways = waysOf(row);
  const isSkipped = row.status === "skipped";
  return {
    ...untouched,
    id,
    nodeId: row.nodeType,
    status: nodeStatus(row, runStatus),
    attempts: row.attempts,
    input: readJson(row.input),
    outputs: ways ? itemsOf({ status: "succeeded", outputs: ways }) : null,
    leftOutBytes: row.isLeftOut ? row.bytes : 0,
    ways: Object.fromEntries(Object.entries(ways ?? {}).map(([way, items]) => [way, items.length])),
    items: row.total > 1 ? { done: row.done, total: row.total } : null,
    filled: readJson(row.filled),
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    note: row.note,
    takenFrom: row.takenFrom,
    wakeAt: row.status === "running" ? null : (row.wakeAt?.toISOString() ?? null),
    ...(isSkipped ? {} : { startedAt: row.startedAt.toISOString(), durationMs: row.durationMs }),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

function waysOf({ status, outputs, isLeftOut }: RunNodeRow): Record<string, Item[]> | undefined {
  return !isLeftOut && (status === "succeeded" || status === "failed") ? readOutputs(outputs) : undefined;
}

const untouched = {
  attempts: 0,
  leftOutBytes: 0,
  input: null,
  outputs: null,
  ways: {},
  items: null,
  filled: null,
  error: null,
  note: null,
  takenFrom: null,
  wakeAt: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
};

/** A node that was not done when its run ended was cut off. */
function nodeStatus({ status }: RunNodeRow, runStatus: RunRow["status"]): RunNode["status"] {
  const isOpen = status === "running" || status === "waiting" || status === "retrying";
  if (isOpen && notReached[runStatus] !== "pending") return "cancelled";
  return status === "waiting" ? "running" : status;
}

const readJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const readOutputs = (text: string | null): Record<string, Item[]> =>
  text === null ? {} : (JSON.parse(text) as Record<string, Item[]>);
