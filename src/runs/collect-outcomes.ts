import type { EngineOutcome, Item } from "../workflows/engine-node.ts";
import type { Progress } from "./node-task.ts";

export type CalledWorkflow = { workflowId: string; prompt: string; payload: unknown };

/** How many inputs of a node with many items are kept to be looked at. */
const mostInputs = 20;

/** What the executions of one node give together. */
export function collectOutcomes(progress: Progress) {
  const outputs = structuredClone(progress.outputs);
  const seen: { inputs: unknown[]; filled: unknown[] } = { inputs: [], filled: [] };
  const runs: CalledWorkflow[] = [];
  let wakeAt: Date | undefined;

  function addOutputs(more: Record<string, Item[]>): void {
    for (const [way, items] of Object.entries(more)) {
      const known = outputs[way];
      if (known) known.push(...items);
      else outputs[way] = [...items];
    }
  }

  return {
    outputs,
    seen,
    runs,
    wakeAt: () => wakeAt,
    addOutputs,

    add(outcome: EngineOutcome): void {
      if ("outputs" in outcome) addOutputs(outcome.outputs);
      else if ("startRun" in outcome) runs.push(outcome.startRun);
      else if (!wakeAt || outcome.waitUntil > wakeAt) wakeAt = outcome.waitUntil;
    },

    note(parameters: unknown, filled: unknown): void {
      if (seen.inputs.length >= mostInputs) return;
      seen.inputs.push(parameters);
      if (filled !== undefined) seen.filled.push(filled);
    },
  };
}
