import type { Item } from "../../workflows/engine-node.ts";
import { findReady, type Ready } from "./find-ready.ts";
import type { Graph } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { settlePassed } from "./pass-on.ts";

/** How the nodes of a run stand. */
export type Standing = {
  graph: Graph;
  root: Item;
  settled: ReadonlyMap<string, Settled>;
  running: Pick<ReadonlyMap<string, unknown>, "has" | "keys">;
  pauses: Pick<ReadonlyMap<string, unknown>, "has" | "keys">;
  hasFailed: boolean;
  /** A node whose end is in `settled` already, although it is still among those that run or pause. */
  ending?: string;
};

type Decision = { isOver: boolean; because: string };

type Left = Decision & { ready: Ready[] };

/**
 * Whether a run is over is decided here alone, from how each of its nodes stands: the run ends now, and not before.
 * What is not executed has to be settled before (`pass-on.ts`).
 */
export function whatIsLeft(standing: Standing): Left {
  const ready = findReady(standing.graph, standing.settled, isBusyIn(standing), standing.root);
  const { isOver, because } = decide(standing, ready);
  return { isOver, because, ready };
}

/** The first that holds decides. */
function decide(standing: Standing, ready: Ready[]): Decision {
  if (runsAny(standing)) return decisions.runs;
  if (standing.hasFailed) return decisions.failed;
  if (ready.length > 0) return decisions.canBegin;
  if (pausesAny(standing)) return decisions.pauses;
  return decisions.done;
}

const decisions = {
  runs: { isOver: false, because: "A node still runs, and what it does must be stored before the end of its run." },
  failed: { isOver: true, because: "A node has failed the run: nothing may begin or go on any more." },
  canBegin: { isOver: false, because: "A node has all it needs to begin." },
  pauses: { isOver: false, because: "A node pauses and goes on later." },
  done: { isOver: true, because: "Each node is done, and none can begin." },
} satisfies Record<string, Decision>;

type Nodes = Omit<Standing, "hasFailed" | "ending"> & { failure: () => unknown };

export const standingOf = ({ graph, root, settled, running, pauses, failure }: Nodes): Standing => ({
  graph,
  root,
  settled,
  running,
  pauses,
  hasFailed: failure() !== undefined,
});

/** How a run stands once a node is settled, with all that is not executed because of it. Nothing of it is true before it is stored, so it is a copy. */
export function standingAfter(
  nodes: Nodes,
  id: string,
  { outcome, failure }: { outcome: Settled; failure: unknown },
): Standing {
  const settled = new Map(nodes.settled).set(id, outcome);
  const { graph, root, running, pauses } = nodes;
  const hasFailed = nodes.failure() !== undefined || failure !== undefined;
  const standing = { graph, root, settled, running, pauses, hasFailed, ending: id };
  settlePassed(graph, settled, isBusyIn(standing), root);
  return standing;
}

/** Whether a node runs or pauses, however soon its pause is over. */
export const isBusyIn = (standing: Standing) => (id: string) => isRunning(standing, id) || isPausing(standing, id);

const isRunning = ({ running, ending }: Standing, id: string): boolean => id !== ending && running.has(id);

/** A node that paused in another version of the workflow may be settled, or gone, in this one. */
const isPausing = ({ pauses, settled, graph, ending }: Standing, id: string): boolean =>
  id !== ending && pauses.has(id) && !settled.has(id) && graph.has(id);

function runsAny(standing: Standing): boolean {
  for (const id of standing.running.keys()) if (isRunning(standing, id)) return true;
  return false;
}

function pausesAny(standing: Standing): boolean {
  for (const id of standing.pauses.keys()) if (isPausing(standing, id)) return true;
  return false;
}
