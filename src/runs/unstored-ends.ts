import type { NodeRow } from "./checkpoint-store.ts";
import type { NodeEnd } from "./execute-node.ts";

export type Ended = { end: NodeEnd; row: NodeRow };

const mostRuns = 500;

/**
 * Ends of nodes that could not be stored, until this process gets their run again: what was executed here is not executed here twice.
 * Of runs that others bring to their end, the oldest are forgotten.
 */
export function createUnstoredEnds() {
  const runs = new Map<string, Map<string, Ended>>();

  return {
    keep(runId: string, nodeId: string, ended: Ended): void {
      const nodes = runs.get(runId) ?? new Map<string, Ended>();
      runs.set(runId, nodes.set(nodeId, ended));
      const [oldest] = runs.keys();
      if (runs.size > mostRuns && oldest !== undefined) runs.delete(oldest);
    },

    take(runId: string): ReadonlyMap<string, Ended> {
      const nodes = runs.get(runId) ?? new Map<string, Ended>();
      runs.delete(runId);
      return nodes;
    },
  };
}
