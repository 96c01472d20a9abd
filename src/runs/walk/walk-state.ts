import type { Clock } from "../../base/clock.ts";
import type { Item } from "../../workflows/engine-node.ts";
import type { Graph } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import type { KeptOutputs } from "./kept-outputs.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import type { Pause } from "./node-rows.ts";
import { settlePassed } from "./pass-on.ts";
import type { StoredNode } from "./stored-nodes-store.ts";

/** What a run fails with; `nodeId` is empty where it was no node. */
export type RunFailure = { nodeId: string; error: NodeFailure };

type Options = {
  graph: Graph;
  root: Item;
  /** Where the run stood when this process took it. These maps belong to the state from now on. */
  settled: Map<string, Settled>;
  pauses: Map<string, Pause>;
  starts: Map<string, Date>;
  interrupted: Map<string, StoredNode>;
  failure: RunFailure | undefined;
  kept: Pick<KeptOutputs, "add">;
  clock: Clock;
};

/** What a node leaves that is done. `outputsLength`: that of its outputs as they are stored. */
export type NodeResult = { outcome: Settled; failure: RunFailure | undefined; outputsLength: number };

/** How a run stands in this process. Nothing but the operations below changes it; all else is to be read. */
export function createWalkState({ graph, root, settled, pauses, starts, interrupted, kept, clock, ...from }: Options) {
  const running = new Map<string, Promise<void>>();
  let failure = from.failure;
  let isLost = false;
  let hasEnded = false;

  return {
    graph,
    root,
    settled: settled as ReadonlyMap<string, Settled>,
    pauses: pauses as ReadonlyMap<string, Pause>,
    interrupted: interrupted as ReadonlyMap<string, StoredNode>,
    running: running as ReadonlyMap<string, Promise<void>>,
    failure: (): RunFailure | undefined => failure,
    /** Another process has it by now, or what happened here could not be stored: nothing more may be done for it. */
    isLost: (): boolean => isLost,
    hasEnded: (): boolean => hasEnded,
    /** When a node began for the first time. */
    startOf: (id: string): Date => starts.get(id) ?? clock.now(),

    /** Settles all that is not executed. A node among them that paused, in another version of the workflow, has nothing to wait for. */
    passOn(isBusy: (id: string) => boolean): void {
      settlePassed(graph, settled, isBusy, root);
      for (const id of pauses.keys()) if (settled.has(id)) pauses.delete(id);
    },

    /** Notes a node as running until its work is over. The work begins a moment later: it may end at once, and must see all that began with it. */
    begin(id: string, work: () => Promise<void>): void {
      if (!starts.has(id)) starts.set(id, clock.now());
      const begun = Promise.resolve().then(work);
      running.set(
        id,
        begun.finally(() => running.delete(id)),
      );
    },

    pause(id: string, pause: Pause): void {
      pauses.set(id, pause);
    },

    settle(id: string, { outcome, failure: failedWith, outputsLength }: NodeResult): void {
      failure ??= failedWith;
      pauses.delete(id);
      settled.set(id, outcome);
      kept.add(id, outputsLength);
    },

    /** What was cut off elsewhere turned out to have come to an end. */
    forgetInterruption(id: string): void {
      interrupted.delete(id);
    },

    /** The first failure counts. */
    fail(failedWith: RunFailure | undefined): void {
      failure ??= failedWith;
    },

    lose(): void {
      isLost = true;
    },

    /** The end of the run is stored. */
    end(): void {
      hasEnded = true;
    },
  };
}
