import type { Canvas } from "../../../src/workflows/wire.ts";

/** References name a node by its id, so it is readable: slack_send_message, slack_send_message_2. */
export function newNodeId({ nodes }: Pick<Canvas, "nodes">, nodeId: string): string {
  const name = nodeId.replaceAll(/[^A-Za-z0-9_]/g, "_").slice(0, 58) || "node";
  return firstFree(name, new Set(nodes.map(({ id }) => id)));
}

/** The id itself while it is free; else with the next number. */
export function firstFree(name: string, taken: ReadonlySet<string>): string {
  const stem = name.replace(/_\d+$/, "").slice(0, 58);
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${stem}_${number}`)) return `${stem}_${number}`;
}

export function newEdgeId({ edges }: Pick<Canvas, "edges">): string {
  return firstFree("edge_1", new Set(edges.map(({ id }) => id)));
}

/** No second line between the same ends, none from a node to itself, none that leads back to where it came from. */
export function canConnect({ edges, nodes }: Canvas, from: { nodeId: string; way: string }, target: string): boolean {
  const ids = new Set(nodes.map(({ id }) => id));
  if (from.nodeId === target || !ids.has(from.nodeId) || !ids.has(target)) return false;
  const isRepeated = edges.some(
    (edge) => edge.source === from.nodeId && edge.target === target && (edge.sourceHandle ?? "out") === from.way,
  );
  return !isRepeated && !findFollowers({ edges }, target).has(from.nodeId);
}

/** All nodes that something from this one can come to, and itself. */
export function findFollowers({ edges }: Pick<Canvas, "edges">, nodeId: string): Set<string> {
  const bySource = Map.groupBy(edges, ({ source }) => source);
  const found = new Set([nodeId]);
  for (const id of found) for (const { target } of bySource.get(id) ?? []) found.add(target);
  return found;
}
