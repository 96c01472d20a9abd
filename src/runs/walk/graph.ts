import { engineNodes } from "../../workflows/engine-nodes/engine-nodes.ts";
import { stop } from "../../workflows/engine-nodes/stop.ts";
import type { Canvas, CanvasNode, NodeOverride } from "../../workflows/wire.ts";

export type GraphNode = {
  id: string;
  /** The name of a tool, or of a built-in node. */
  type: string;
  parameters: Record<string, unknown>;
  instruction: string;
  runtimeInstruction: string;
  credentials: Record<string, string>;
  settings: {
    retries: number;
    retryDelayMs: number;
    timeoutMs: number | undefined;
    itemsAtOnce: number;
    continueOnError: boolean;
    repeatAfterInterruption: boolean;
    modelMayWriteExpressions: boolean;
    continueWhenEmpty: boolean;
    disabled: boolean;
  };
  /** Through which its items leave while it is disabled. */
  firstWay: string;
  /** Through which it tells of a failure that the run goes on after: the only way, or the one that stands for "none of the above". */
  errorWay: string;
  /** In the order of the edges. */
  incoming: { source: string; way: string; continuesEmpty: boolean }[];
  /** Canvas ids of what comes next, each once. */
  next: string[];
};

export type Graph = ReadonlyMap<string, GraphNode>;

export const onlyWay = "out";

/** A canvas in the form a run follows it. */
export function compileGraph({ nodes, edges }: Canvas): Graph {
  const graph = new Map(nodes.map((node) => [node.id, toGraphNode(node)]));
  for (const { source, sourceHandle, target } of edges) {
    graph.get(target)?.incoming.push({
      source,
      way: sourceHandle ?? onlyWay,
      continuesEmpty: graph.get(source)?.settings.continueWhenEmpty ?? false,
    });
    const next = graph.get(source)?.next;
    if (next && !next.includes(target)) next.push(target);
  }
  return graph;
}

function toGraphNode({
  id,
  nodeId,
  parameters = {},
  instruction = "",
  credentials = {},
  settings = {},
}: CanvasNode): GraphNode {
  const { retries = 0, retryDelay = 1000, timeout, itemsAtOnce = 1, ...switches } = settings;
  const {
    continueOnError = false,
    repeatAfterInterruption = false,
    continueWhenEmpty = false,
    disabled = false,
  } = switches;
  const { modelMayWriteExpressions = false } = switches;
  const ways = engineNodes.get(nodeId)?.ways(parameters) ?? [];
  return {
    id,
    type: nodeId,
    parameters,
    instruction,
    runtimeInstruction: "",
    credentials,
    settings: {
      retries,
      retryDelayMs: retryDelay,
      timeoutMs: timeout,
      itemsAtOnce,
      continueOnError,
      repeatAfterInterruption,
      continueWhenEmpty,
      modelMayWriteExpressions,
      disabled,
      // A stop stops, whatever makes it fail.
      ...(nodeId === stop.id ? { retries: 0, continueOnError: false } : {}),
    },
    firstWay: ways[0] ?? onlyWay,
    errorWay: ways.at(-1) ?? onlyWay,
    incoming: [],
    next: [],
  };
}

/** The same graph with what one run has otherwise. The given graph stays as it is: other runs follow it too. */
export function applyOverrides(graph: Graph, overrides: NodeOverride[]): Graph {
  if (overrides.length === 0) return graph;
  const changed = new Map(graph);
  for (const { id, runtimeInstruction, credentials } of overrides) {
    const node = graph.get(id);
    if (node)
      changed.set(id, {
        ...node,
        runtimeInstruction: runtimeInstruction ?? "",
        credentials: { ...node.credentials, ...credentials },
      });
  }
  return changed;
}
