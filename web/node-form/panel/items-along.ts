import type { RunNode } from "../../../src/runs/wire.ts";
import type { CanvasEdge } from "../../../src/workflows/wire.ts";

/** What came along an edge in a run. A node's outputs are listed way after way, in the order of its ways. */
export function itemsAlong({ source, sourceHandle }: CanvasEdge, nodes: readonly RunNode[]): Record<string, unknown>[] {
  const { outputs, ways = {} } = nodes.find(({ id }) => id === source) ?? {};
  if (!outputs) return [];
  const names = Object.keys(ways);
  if (!sourceHandle || names.length === 0) return outputs;
  const place = names.indexOf(sourceHandle);
  if (place === -1) return [];
  const start = names.slice(0, place).reduce((sum, way) => sum + (ways[way] ?? 0), 0);
  return outputs.slice(start, start + (ways[sourceHandle] ?? 0));
}
