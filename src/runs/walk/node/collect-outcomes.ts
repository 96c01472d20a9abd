import { Refusal } from "../../../base/refusal.ts";
import type { EngineOutcome, Item } from "../../../workflows/engine-node.ts";
import { roomAfter } from "../../../workflows/measure-json.ts";
import { type ItemProgress, type ItemResult, mergeResults } from "./item-progress.ts";
import type { NodeFailure } from "./node-failure.ts";

/** `failures` is how often it was called before. */
export type CalledWorkflow = { workflowId: string; prompt: string; payload: unknown; failures: number };

/** How many inputs of a node with many items are kept to be looked at. */
const mostInputs = 20;

/** Stored whole and handed to what follows, so it must not be without an end: many items may each bring a large answer. */
export const longestOutputs = 16_000_000;

export const tooLarge = () =>
  new Refusal("outputs_too_large", `The node gives more than ${longestOutputs / 1_000_000} MB.`);

/** What a node lets pass, which is stored as its outputs too. */
export function requireFew(items: Item[]): Item[] {
  if (roomAfter(items, longestOutputs) < 0) throw tooLarge();
  return items;
}

/** What the executions of one node give together. */
export function collectOutcomes({ results: known, failures: earlier }: Pick<ItemProgress, "results" | "failures">) {
  const results = new Map(known);
  const failures = new Map(earlier);
  const noted: { place: number; parameters: unknown; filled: unknown }[] = [];
  const runs: CalledWorkflow[] = [];
  let wakeAt: Date | undefined;
  let note: string | undefined;
  let room = [...results.values()].reduce((left, { outputs }) => roomAfter(outputs, left), longestOutputs);

  function addResult(place: number, result: ItemResult): void {
    const left = roomAfter(result.outputs, room);
    if (left < 0) throw tooLarge();
    room = left;
    results.set(place, result);
    failures.delete(place);
  }

  return {
    results,
    failures,
    runs,
    wakeAt: () => wakeAt,
    /** Of the node, for whoever looks at the run. */
    told: () => note,

    /** How often an execution has failed by now. */
    countFailure(place: number): number {
      const count = (failures.get(place) ?? 0) + 1;
      failures.set(place, count);
      return count;
    },

    add(place: number, outcome: EngineOutcome): void {
      if ("outputs" in outcome) {
        const { note: told, ...result } = outcome;
        addResult(place, result);
        note ??= told;
      } else if ("startRun" in outcome) runs.push({ ...outcome.startRun, failures: failures.get(place) ?? 0 });
      else if (!wakeAt || outcome.waitUntil > wakeAt) wakeAt = outcome.waitUntil;
    },

    /** What follows gets an item that tells of the failure: the first of these for which there is room, at last none. */
    addFailure(place: number, failure: NodeFailure, ways: ItemResult[]): void {
      const fitting = ways.find(({ outputs }) => roomAfter(outputs, room) >= 0) ?? { outputs: {} };
      addResult(place, { ...fitting, failure });
    },

    /** That of the last item that the run goes on after. */
    lastFailure: (): NodeFailure | undefined =>
      [...results].filter(([, { failure }]) => failure).sort(([one], [other]) => other - one)[0]?.[1].failure,

    merged: () => mergeResults(results),

    note(place: number, parameters: unknown, filled: unknown): void {
      if (noted.length < mostInputs) noted.push({ place, parameters, filled });
    },

    /** What executions were given, in their order. */
    seen(): { inputs: unknown[]; filled: unknown[] } {
      const sorted = noted.length < 2 ? noted : noted.toSorted((one, other) => one.place - other.place);
      const filled = sorted.filter((one) => one.filled !== undefined);
      return { inputs: sorted.map(({ parameters }) => parameters), filled: filled.map((one) => one.filled) };
    },
  };
}
