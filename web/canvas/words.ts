import type { Run, RunNode } from "../../src/runs/wire.ts";
import type { CanvasNode } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";
import { formatDuration } from "../parts/duration.tsx";
import { statusLooks } from "../parts/status.tsx";

// What the canvas says in words.

export const nodeTitle = (node: CanvasNode, kind: NodeKind | undefined): string =>
  node.name || kind?.title || node.nodeId;

export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

export function itemsInWords({ ways, outputs }: RunNode): string | undefined {
  const counts = Object.values(ways);
  const count = counts.length > 0 ? counts.reduce((sum, each) => sum + each, 0) : outputs?.length;
  return count === undefined ? undefined : counted(count, "item");
}

/** "3 of 10 items", of a node that is not done with all of them. */
export function progressInWords({ items, status }: RunNode): string | undefined {
  return items === null || status === "succeeded" ? undefined : `${items.done} of ${counted(items.total, "item")}`;
}

/** "Succeeded, 12 ms, 3 items". */
export function stateInWords(runNode: RunNode): string {
  const { status, durationMs, attempts, error } = runNode;
  const facts = [
    statusLooks[status].word,
    durationMs === null ? undefined : formatDuration(durationMs),
    status === "succeeded" ? itemsInWords(runNode) : progressInWords(runNode),
    attempts > 1 ? counted(attempts, "attempt") : undefined,
  ];
  return `${facts.filter(Boolean).join(", ")}${error ? `: ${error.message}` : ""}`;
}

/** How a run stands or ended, in a sentence. */
export function runInWords(run: Run): string {
  const done = run.nodes.filter(({ status }) =>
    ["succeeded", "failed", "skipped", "cancelled"].includes(status),
  ).length;
  const took = run.durationMs === null ? "" : ` after ${formatDuration(run.durationMs)}`;
  switch (run.status) {
    case "pending":
      return "Queued: waiting for a free slot.";
    case "running":
      return `Running: ${done} of ${counted(run.nodes.length, "node")} done.`;
    case "waiting":
      return `Waiting: ${done} of ${counted(run.nodes.length, "node")} done.`;
    case "succeeded":
      return `Succeeded${took}${run.result ? `: ${counted(run.result.length, "item")} came out` : ""}.`;
    case "failed":
      return `Failed${took}: ${run.error?.message ?? "the run gave no reason"}`;
    case "cancelled":
      return `Cancelled${took}.`;
  }
}
