import { createHash } from "node:crypto";
import type { TriggerData } from "../../workflows/engine-node.ts";
import { namedVariables } from "../../workflows/variables/named-variables.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";

type Options = {
  graph: Graph;
  /** By canvas id, as they are stored. */
  pins: ReadonlyMap<string, string>;
  trigger: Omit<TriggerData, "source" | "sender">;
  /** What `$vars` stands for now. */
  vars: Record<string, unknown>;
};

/**
 * What the outputs of each node depend on, as a hash: its type, parameters, instruction, accounts and variables, what a run is started with, and the same of
 * all nodes that come before it; of a node with pinned data, that data alone. Its name, its place and how often it is tried again change nothing.
 */
export function fingerprintsOf({ graph, pins, trigger, vars }: Options): Map<string, string> {
  const known = new Map<string, string>();
  const { prompt, payload, event, method, query, headers } = trigger;
  // What was started by hand has nothing of a request in it.
  const request = [event, method, query, headers];
  const start = hashOf(request.every((part) => part === undefined) ? [prompt, payload] : [prompt, payload, ...request]);

  function find(id: string): string {
    const before = known.get(id);
    if (before !== undefined) return before;
    // In a circle the hash of a node would depend on itself.
    known.set(id, "");
    const node = graph.get(id);
    const pinned = pins.get(id);
    const own = pinned === undefined ? [start, node && meaningOf(node, vars), node?.incoming.map(edgeOf)] : [pinned];
    const hash = hashOf(own);
    known.set(id, hash);
    return hash;
  }

  const edgeOf = ({ source, way }: GraphNode["incoming"][number]) => [find(source), source, way];

  for (const id of graph.keys()) find(id);
  return known;
}

function meaningOf({ type, parameters, instruction, credentials, settings }: GraphNode, vars: Options["vars"]) {
  const { continueOnError, continueWhenEmpty, modelMayWriteExpressions, disabled } = settings;
  return [
    type,
    parameters,
    instruction,
    credentials,
    continueOnError,
    continueWhenEmpty,
    modelMayWriteExpressions,
    disabled,
    ...valuesNamed(parameters, vars),
  ];
}

function valuesNamed(parameters: GraphNode["parameters"], vars: Options["vars"]): unknown[] {
  const { names, isAny } = namedVariables(parameters);
  return isAny ? [vars] : names.map((name) => vars[name] ?? null);
}

const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value, inOrder)).digest("base64url");

/** The order of its keys does not change what an object says. */
const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
