import type { CanvasEdge } from "../../../src/workflows/wire.ts";

/** Ids of the nodes from which a way leads to the given one: those whose items its fields may refer to. */
export function findAncestors(
  edges: readonly Pick<CanvasEdge, "source" | "target">[],
  id: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { source, target } of edges) {
      if (target !== next || found.has(source)) continue;
      found.add(source);
      open.push(source);
    }
  return found;
}
