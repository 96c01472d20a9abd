import { namedNodes } from "../../workflows/references.ts";
import type { Canvas } from "../../workflows/wire.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";

/** What is asked for: `chosen` nodes are executed in any case, also where something is pinned to them. */
export type Steps = { chosen: ReadonlySet<string>; wanted: ReadonlySet<string>; anew: ReadonlySet<string> };

export type Mode = "all" | "node" | "toHere" | "fromHere";

/** `wanted` must be there in the end; of `anew` nothing is taken over but what is pinned. */
export function stepsOf(graph: Graph, mode: Exclude<Mode, "all">, nodeIds: readonly string[]): Steps {
  const chosen = new Set(nodeIds);
  if (mode === "node") return { chosen, wanted: chosen, anew: chosen };
  if (mode === "toHere") return { chosen, wanted: chosen, anew: reach(chosen, (id) => sourcesOf(graph.get(id))) };
  const after = reach(chosen, (id) => graph.get(id)?.next ?? []);
  return { chosen, wanted: after, anew: after };
}

export function allSteps(graph: Graph): Steps {
  const all = new Set(graph.keys());
  return { chosen: new Set(), wanted: all, anew: all };
}

type Known = {
  /** Canvas ids of nodes with pinned data. */
  pinned: ReadonlySet<string>;
  /** By canvas id, what may be taken over. */
  results: ReadonlyMap<string, Result>;
};

/** A run that has the outputs of a node, and the one that executed it. */
export type Result = { runId: string; executedIn: string };

type Origin = "pinned" | Result;

export type Plan = {
  executed: ReadonlySet<string>;
  taken: ReadonlyMap<string, Origin>;
  /** Named by an edge or a reference, but not there. */
  missing: ReadonlySet<string>;
};

/** Which nodes a run of the editor executes, and which it takes over: of those that come before, only what those that are executed need. */
export function planSteps(graph: Graph, { chosen, wanted, anew }: Steps, { pinned, results }: Known): Plan {
  const executed = new Set<string>();
  const taken = new Map<string, Origin>();
  const missing = new Set<string>();
  const open = [...wanted];

  function originOf({ id, settings }: GraphNode): Origin | undefined {
    if (chosen.has(id) || settings.disabled) return undefined;
    if (pinned.has(id)) return "pinned";
    return anew.has(id) ? undefined : results.get(id);
  }

  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (executed.has(id) || taken.has(id)) continue;
    const node = graph.get(id);
    const origin = node && originOf(node);
    if (!node) missing.add(id);
    else if (origin === undefined) {
      executed.add(id);
      open.push(...sourcesOf(node), ...referencesOf(graph, node));
    } else taken.set(id, origin);
  }
  takeWhatLedTo(graph, taken, (node) => (executed.has(node.id) ? undefined : originOf(node)));
  return { executed, taken, missing };
}

/** With them an item can be followed back to where it came from. */
function takeWhatLedTo(
  graph: Graph,
  taken: Map<string, Origin>,
  originOf: (node: GraphNode) => Origin | undefined,
): void {
  // What is added while it goes through them is gone through too.
  for (const id of taken.keys())
    for (const source of sourcesOf(graph.get(id))) {
      const node = graph.get(source);
      const origin = node && originOf(node);
      if (origin !== undefined && !taken.has(source)) taken.set(source, origin);
    }
}

/** The part of a canvas that a plan is about. What leads to a node that is taken over stays only where all of it does, so that its items keep their places. */
export function cutCanvas({ nodes, edges }: Canvas, graph: Graph, { executed, taken }: Plan): Canvas {
  const isIn = (id: string) => executed.has(id) || taken.has(id);
  const isLedTo = (id: string) => executed.has(id) || (taken.has(id) && sourcesOf(graph.get(id)).every(isIn));
  return { nodes: nodes.filter(({ id }) => isIn(id)), edges: edges.filter(({ target }) => isLedTo(target)) };
}

const sourcesOf = (node: GraphNode | undefined): string[] => (node?.incoming ?? []).map(({ source }) => source);

/** Of what comes before a node, what its parameters name. */
function referencesOf(graph: Graph, node: GraphNode): string[] {
  const before = reach(new Set(sourcesOf(node)), (id) => sourcesOf(graph.get(id)));
  const named = namedNodes(node.parameters);
  return [...before].filter((id) => named === undefined || named.has(id));
}

function reach(from: ReadonlySet<string>, next: (id: string) => string[]): Set<string> {
  const found = new Set(from);
  for (const id of found) for (const other of next(id)) found.add(other);
  return found;
}
