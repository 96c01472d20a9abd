import type { Database } from "../../storage/database.ts";
import type { TriggerData } from "../../workflows/engine-node.ts";
import { findFinished, type LastEditorRun } from "./editor-store.ts";
import type { Result } from "./plan-steps.ts";

/** The newest run of the draft in which each node succeeded with everything that its outputs depend on as it is now. */
export async function findResults(
  db: Database,
  { organizationId, runs }: { organizationId: string; runs: readonly LastEditorRun[] },
  fingerprints: ReadonlyMap<string, string>,
): Promise<Map<string, Result>> {
  const asked = runs.flatMap(({ runId, fingerprints: text }) =>
    Object.entries(JSON.parse(text) as Record<string, string>)
      .filter(([nodeId, fingerprint]) => fingerprints.get(nodeId) === fingerprint)
      .map(([nodeId]) => ({ runId, nodeId })),
  );
  const finished = await findFinished(db, organizationId, asked);
  // The ids of runs are in the order of time, and the last one that is set stays.
  const inOrder = finished.toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
  return new Map(inOrder.map(({ nodeId, runId, executedIn }) => [nodeId, { runId, executedIn }]));
}

/** What the last run of the draft was started with. */
export function lastTrigger([last]: readonly LastEditorRun[]): Omit<TriggerData, "source" | "sender"> {
  if (!last?.triggerData) return { prompt: "", payload: null };
  const { source: _source, sender: _sender, ...given } = JSON.parse(last.triggerData) as TriggerData;
  return given;
}
