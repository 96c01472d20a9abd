import { createHash } from "node:crypto";

export type SavedCanvas = Record<string, unknown>;

/** What a list of workflows has kinds of: as many as a canvas has nodes at most, and only what can be the name of one. */
const mostKinds = 500;
const isKind = (nodeId: unknown): nodeId is string => typeof nodeId === "string" && /^\w{1,100}$/.test(nodeId);

export function canvasColumns(canvas: SavedCanvas) {
  const text = JSON.stringify(canvas);
  return { canvas: text, canvas_sha256: createHash("sha256").update(text).digest() };
}

/** Also of a draft, which may have any form. */
export function countNodes(canvas: SavedCanvas): { node_count: number; node_kinds: string[] } {
  const nodes: unknown[] = Array.isArray(canvas.nodes) ? canvas.nodes : [];
  const kinds = nodes.map((node) => (node as { nodeId?: unknown } | null)?.nodeId).filter(isKind);
  return { node_count: nodes.length, node_kinds: [...new Set(kinds)].slice(0, mostKinds) };
}
