import type { Item } from "../../workflows/engine-node.ts";
import { readSettled } from "../read/describe-run.ts";
import type { RunNodeRow } from "../read/list-store.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";
import { collectIncoming, type Settled } from "../walk/incoming.ts";
import { failsRun } from "../walk/node/execute-node.ts";
import type { NodeFailure } from "../walk/node/node-failure.ts";
import { isPassed, passOn } from "../walk/pass-on.ts";

type Options = {
  /** Of the version that is run now, which may be another one than the run had. */
  graph: Graph;
  rows: RunNodeRow[];
  root: Item;
  /** Where it begins anew. */
  beginsAt: (nodeId: string) => boolean;
};

/**
 * What a run that is run again does not do anew: nodes that finished, or got nothing, and come neither after one where it begins nor after one of which
 * there is nothing. A node that became another one since has nothing.
 */
export function keepFinished({ graph, rows, root, beginsAt }: Options): Map<string, Settled> {
  const finished = readSettled(rows.filter((row) => isUsable(row, graph)));
  const kept = new Map<string, Settled>();
  const outcomeOf = (node: GraphNode): Settled | undefined =>
    isPassed(node, kept) ? passOn(node, collectIncoming(node, kept, root)) : finished.get(node.id);
  const open = new Set([...graph.values()].filter(({ id }) => !beginsAt(id)));
  // What is kept may open the way for others, which are at the end of the list from then on.
  for (const node of open) {
    if (!node.incoming.every(({ source }) => kept.has(source))) continue;
    const outcome = outcomeOf(node);
    if (!outcome) continue;
    kept.set(node.id, outcome);
    for (const next of node.next) moveToEnd(open, graph.get(next));
  }
  return kept;
}

function moveToEnd<One>(list: Set<One>, one: One | undefined): void {
  if (one !== undefined && list.delete(one)) list.add(one);
}

/** One that failed has outputs where the run went on after it, and would go on now. */
export function isUsable({ nodeId, nodeType, status, errorCode, errorMessage }: RunNodeRow, graph: Graph): boolean {
  const node = graph.get(nodeId);
  if (node?.type !== nodeType) return false;
  const error = { code: errorCode as NodeFailure["code"], message: errorMessage ?? "" };
  return status === "succeeded" || (status === "failed" && !failsRun(node, error));
}
