import type { Canvas } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";

/** How people know a node of a canvas: by the name it was given, or by its type. */
export function nodeTitle(canvas: Canvas, id: string, kinds: ReadonlyMap<string, NodeKind> | undefined): string {
  const node = canvas.nodes.find((entry) => entry.id === id);
  return node?.name || kinds?.get(node?.nodeId ?? "")?.title || id;
}
