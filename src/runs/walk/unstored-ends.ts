import type { NodeRow } from "./checkpoint-store.ts";
import type { NodeEnd } from "./node/execute-node.ts";

export type Ended = { end: NodeEnd; row: NodeRow };

const mostRuns = 500;

/**
 * Ends of nodes that could not be stored, until this process gets their run again: what was executed here is not executed here twice.
 * Of runs that others bring to their end, and of what would take too much memory, the oldest are forgotten.
 */
export function createUnstoredEnds({ mostTextLength = 64 * 1024 * 1024 } = {}) {
  const runs = new Map<string, Map<string, Ended>>();
  let textLength = 0;

  function forget(runId: string, nodeId: string): void {
    const nodes = runs.get(runId);
    const ended = nodes?.get(nodeId);
    if (!nodes || !ended) return;
    textLength -= lengthOf(ended);
    nodes.delete(nodeId);
    if (nodes.size === 0) runs.delete(runId);
  }

  function forgetOldest(): void {
    const [[runId, nodes] = ["", new Map<string, Ended>()]] = runs;
    const [nodeId = ""] = nodes.keys();
    forget(runId, nodeId);
  }

  return {
    forget,

    keep(runId: string, nodeId: string, ended: Ended): void {
      forget(runId, nodeId);
      const nodes = runs.get(runId) ?? new Map<string, Ended>();
      runs.set(runId, nodes.set(nodeId, ended));
      textLength += lengthOf(ended);
      while (runs.size > mostRuns || textLength > mostTextLength) forgetOldest();
    },

    /** Those of a run, to be forgotten one by one when they are stored. */
    of: (runId: string): ReadonlyMap<string, Ended> => new Map(runs.get(runId)),
  };
}

const lengthOf = ({ row: { input, outputs, filled } }: Ended): number =>
  (input?.length ?? 0) + (outputs?.length ?? 0) + (filled?.length ?? 0);
