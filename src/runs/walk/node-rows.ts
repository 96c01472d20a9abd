import type { Clock } from "../../base/clock.ts";
import { toStorableText } from "../../base/json.ts";
import { toPayload, toStorableLine } from "../../records/payload.ts";
import type { Item } from "../../workflows/engine-node.ts";
import type { Fence, NodeRow } from "./checkpoint-store.ts";
import { type Graph, type GraphNode, onlyWay } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { failsRun, interruption, type NodeEnd } from "./node/execute-node.ts";
import { type ItemProgress, readItems, readOrigins } from "./node/item-progress.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import type { StoredNode } from "./stored-nodes-store.ts";
import type { Reached } from "./track-node.ts";

/** A node that goes on later. */
export type Pause = { attempts: number; durationMs: number } & (
  | { is: "waiting"; wakeAt: Date }
  | ({ is: "retrying"; wakeAt: Date } & ItemProgress)
  /** `wakeAt` is when it gives up. */
  | ({ is: "calling"; runIds: string[]; wakeAt: Date | null } & Pick<ItemProgress, "failures">)
);

/** When the first of them goes on by itself. */
export function nextMoment(
  pauses: Iterable<[string, Pause]>,
  isBusy: (id: string) => boolean = () => false,
): Date | null {
  const moments = [...pauses].flatMap(([id, { wakeAt }]) => (wakeAt === null || isBusy(id) ? [] : [wakeAt.getTime()]));
  return moments.length > 0 ? new Date(Math.min(...moments)) : null;
}

export const isPaused = (pause: Pause | undefined, now: Date): boolean =>
  pause !== undefined && (pause.wakeAt === null || pause.wakeAt.getTime() > now.getTime());

type RowContext = { fence: Fence; node: GraphNode; startedAt: Date };

const inputLimitBytes = 64 * 1024;
const messageLimit = 4_000;

type EndContext = RowContext & { durationMs: number; end: NodeEnd; runIds?: string[] | undefined; clock: Clock };

export function describeEnd({ fence, node, startedAt, durationMs, end, runIds, clock }: EndContext): NodeRow {
  const isFinal = end.is === "succeeded" || end.is === "failed";
  const { items, done, total } = end.stored ?? nothingStored;
  const { errorCode, errorMessage } = describeError("error" in end ? end.error : undefined);
  // Each by its name: this is done for every node, and to spread objects into it takes longer than all the rest.
  return {
    organizationId: fence.organizationId,
    runId: fence.runId,
    epoch: fence.epoch,
    nodeId: node.id,
    nodeType: node.type,
    startedAt,
    durationMs,
    attempts: end.attempts,
    status: end.is === "calling" ? "waiting" : end.is,
    items,
    done,
    total,
    input: describeList(end.inputs),
    // Whole, because after a crash the run goes on with it.
    outputs: toStorableText("outputs" in end ? end.outputs : { runIds }).text,
    filled: describeList(end.filled),
    errorCode,
    errorMessage,
    note: "note" in end && end.note !== undefined ? toStorableLine(end.note, messageLimit) : null,
    wakeAt: ("wakeAt" in end ? end.wakeAt : null) ?? null,
    completedAt: isFinal ? clock.now() : null,
    mustNotRepeat: false,
    underWay: null,
  };
}

const nothingStored = { items: null, done: 0, total: 0 };

const describeList = (values: unknown[]): string | null =>
  values.length > 0 ? toPayload(values, inputLimitBytes).text : null;

export const describeError = (error: NodeFailure | undefined) => ({
  errorCode: error?.code ?? null,
  errorMessage: error ? toStorableLine(error.message, messageLimit) : null,
});

/** The attempt that a node is at, stored before it reaches out, and how far it is. */
export type Begun = { attempts: number; mustNotRepeat: boolean } & Partial<Reached>;

export const describeRunning = (context: RowContext, begun: Begun): NodeRow => ({
  ...emptyRow(context, "running"),
  ...begun,
});

export function describeSkipped({
  fence,
  node,
  now,
}: {
  fence: Fence;
  node: GraphNode | undefined;
  now: Date;
}): NodeRow[] {
  return node
    ? [
        {
          ...emptyRow({ fence, node, startedAt: now }, "skipped"),
          attempts: 0,
          note: noteOfSkipped(node),
          completedAt: now,
        },
      ]
    : [];
}

function noteOfSkipped({ settings: { disabled }, firstWay }: GraphNode): string | null {
  if (!disabled) return null;
  return firstWay === onlyWay
    ? "This node is disabled: items passed through it untouched."
    : toStorableLine(`This node is disabled: all items took its first way, ${firstWay}.`, messageLimit);
}

const emptyRow = ({ fence, node, startedAt }: RowContext, status: "running" | "skipped"): NodeRow => ({
  ...fence,
  nodeId: node.id,
  nodeType: node.type,
  status,
  startedAt,
  attempts: 1,
  done: 0,
  input: null,
  outputs: null,
  filled: null,
  errorCode: null,
  errorMessage: null,
  note: null,
  wakeAt: null,
  completedAt: null,
  durationMs: 0,
  mustNotRepeat: false,
  items: null,
  total: 0,
  underWay: null,
});

/**
 * Where a run stands that another process began. A node that was running there begins anew with the items
 * that have not worked yet, and with one attempt more; unless it may have been done and must not be done twice.
 */
export function readStoredNodes(stored: StoredNode[], graph: Graph) {
  const settled = new Map<string, Settled>();
  const pauses = new Map<string, Pause>();
  const starts = new Map<string, Date>();
  const interrupted = new Map<string, StoredNode>();
  for (const row of stored) {
    starts.set(row.nodeId, row.startedAt);
    if (row.status === "succeeded" || row.status === "failed")
      settled.set(row.nodeId, { status: row.status, outputs: readOutputs(row), origins: readOrigins(row.items) });
    else if (isInterrupted(row, graph) && failsRun(graph.get(row.nodeId), interruption))
      interrupted.set(row.nodeId, row);
    else if (row.status !== "skipped" && row.status !== "cancelled")
      pauses.set(row.nodeId, pauseOf(row, isInterrupted(row, graph)));
  }
  return { settled, pauses, starts, interrupted, failure: findFailure(stored, graph) };
}

const isInterrupted = ({ status, mustNotRepeat, underWay, nodeId }: StoredNode, graph: Graph): boolean =>
  status === "running" && mustNotRepeat && underWay !== "[]" && !graph.get(nodeId)?.settings.repeatAfterInterruption;

/** What the run fails with, however it went on elsewhere. */
function findFailure(stored: StoredNode[], graph: Graph): { nodeId: string; error: NodeFailure } | undefined {
  return stored
    .filter(({ status }) => status === "failed")
    .map((row) => ({ nodeId: row.nodeId, error: errorOf(row) }))
    .find(({ nodeId, error }) => failsRun(graph.get(nodeId), error));
}

const errorOf = ({ errorCode, errorMessage }: StoredNode): NodeFailure => ({
  code: (errorCode ?? "internal_error") as NodeFailure["code"],
  message: errorMessage ?? "",
});

export function pauseOf(row: StoredNode | NodeRow, isCutOff = false): Pause {
  const { attempts, durationMs, wakeAt } = row;
  // A row that says "running" still holds the items that worked in earlier attempts.
  if (row.status === "retrying" || row.status === "running") {
    const places = row.underWay === null ? everything : new Set(JSON.parse(row.underWay) as number[]);
    const interrupted = isCutOff ? places : new Set<number>();
    return { is: "retrying", attempts, durationMs, wakeAt: wakeAt ?? row.startedAt, ...readItems(row), interrupted };
  }
  const { runIds } = JSON.parse(row.outputs ?? "{}") as { runIds?: string[] };
  if (runIds === undefined && wakeAt) return { is: "waiting", attempts, durationMs, wakeAt };
  const { failures } = readItems({ ...row, outputs: null });
  return { is: "calling", attempts, durationMs, wakeAt, runIds: runIds ?? [], failures };
}

const everything = { has: () => true };

const readOutputs = ({ outputs }: { outputs: string | null }): Record<string, Item[]> =>
  outputs === null ? {} : (JSON.parse(outputs) as Record<string, Item[]>);
