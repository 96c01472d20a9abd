import { Refusal } from "../base/refusal.ts";
import type { EngineOutcome, Item } from "../workflows/engine-node.ts";
import { roomAfter } from "../workflows/measure-json.ts";
import type { Progress } from "./node-task.ts";

export type CalledWorkflow = { workflowId: string; prompt: string; payload: unknown };

/** How many inputs of a node with many items are kept to be looked at. */
const mostInputs = 20;

/** Stored whole and handed to what follows, so it must not be without an end: many items may each bring a large answer. */
export const longestOutputs = 16_000_000;

export const tooLarge = () => new Refusal("outputs_too_large", `The node gives more than ${longestOutputs / 1_000_000} MB.`);

/** What a node lets pass, which is stored as its outputs too. */
export function requireFew(items: Item[]): Item[] {
  if (roomAfter(items, longestOutputs) < 0) throw tooLarge();
  return items;
}

/** What the executions of one node give together. */
export function collectOutcomes(progress: Progress) {
  const outputs = structuredClone(progress.outputs);
  const seen: { inputs: unknown[]; filled: unknown[] } = { inputs: [], filled: [] };
  const runs: CalledWorkflow[] = [];
  let wakeAt: Date | undefined;
  let note: string | undefined;
  let room = roomAfter(outputs, longestOutputs);

  function addOutputs(more: Record<string, Item[]>): void {
    room = roomAfter(more, room);
    if (room < 0) throw tooLarge();
    for (const [way, items] of Object.entries(more)) {
      const known = Object.hasOwn(outputs, way) ? outputs[way] : undefined;
      if (known) known.push(...items);
      else outputs[way] = [...items];
    }
  }

  return {
    outputs,
    seen,
    runs,
    wakeAt: () => wakeAt,
    /** Of the node, for whoever looks at the run. */
    told: () => note,
    addOutputs,

    add(outcome: EngineOutcome): void {
      if ("outputs" in outcome) {
        addOutputs(outcome.outputs);
        note ??= outcome.note;
      } else if ("startRun" in outcome) runs.push(outcome.startRun);
      else if (!wakeAt || outcome.waitUntil > wakeAt) wakeAt = outcome.waitUntil;
    },

    note(parameters: unknown, filled: unknown): void {
      if (seen.inputs.length >= mostInputs) return;
      seen.inputs.push(parameters);
      if (filled !== undefined) seen.filled.push(filled);
    },
  };
}
