import { findReady, type Ready } from "./find-ready.ts";
import type { Settled } from "./incoming.ts";
import { isPaused } from "./node-rows.ts";
import { settlePassed } from "./pass-on.ts";
import type { Walk } from "./walk.ts";

type Left = {
  ready: Ready[];
  /** Nothing is left to do: the run ends now, and not before. */
  isOver: boolean;
};

type State = Pick<Walk, "graph" | "running" | "pauses" | "root" | "failure">;

/**
 * Whether a run is over is decided here alone, from the state of every node: one runs, pauses or can begin, or nothing does any more.
 * A failure ends a run as soon as nothing runs. `ending` is a node whose end is in `settled` already, although it still counts as running.
 */
export function whatIsLeft(walk: State, settled: Map<string, Settled>, ending?: string): Left {
  const isRunning = (id: string) => id !== ending && walk.running.has(id);
  const hasPause = (id: string) => id !== ending && walk.pauses.has(id) && !settled.has(id);
  const isBusy = (id: string) => isRunning(id) || hasPause(id);
  settlePassed(walk.graph, settled, isBusy, walk.root);
  const ready = findReady(walk.graph, settled, isBusy, walk.root);
  const ids = [...walk.graph.keys()];
  if (ids.some(isRunning)) return { ready, isOver: false };
  return { ready, isOver: walk.failure !== undefined || (ready.length === 0 && !ids.some(hasPause)) };
}

/** What can begin now, also a node whose pause is over, once everything is settled that is not executed. */
export function settleAndFind(walk: State, settled: Map<string, Settled>, now: Date): Ready[] {
  const isBusy = (id: string) => walk.running.has(id) || isPaused(walk.pauses.get(id), now);
  settlePassed(walk.graph, settled, isBusy, walk.root);
  return findReady(walk.graph, settled, isBusy, walk.root);
}
