import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import { type NamedVariables, namedVariables, namesVariables } from "../../workflows/variables/named-variables.ts";
import type { AdoptedRun } from "../store.ts";
import type { Graph } from "./graph.ts";
import { keepOnce } from "./variable-store.ts";

const none: Record<string, unknown> = {};
const known = new WeakMap<Graph, NamedVariables>();

/** `$vars` of a run: as it was when the run first began, whoever goes on with it. A run that names none asks for nothing. */
export async function keepVariables(db: Database, run: AdoptedRun, graph: Graph): Promise<Record<string, unknown>> {
  const named = known.get(graph) ?? namedVariables([...graph.values()].map(({ parameters }) => parameters));
  known.set(graph, named);
  if (!namesVariables(named)) return none;
  const kept = await keepOnce(db, run, named.isAny ? null : named.names);
  if (kept === undefined) throw new Refusal("slot_lost", "The run cannot go on here.");
  return JSON.parse(kept) as Record<string, unknown>;
}
