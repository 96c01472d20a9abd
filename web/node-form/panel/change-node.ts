import type { CanvasNode } from "../../../src/workflows/wire.ts";

type Optional = Exclude<keyof CanvasNode, "id" | "nodeId">;

/** The node with a part set; an empty part is left out, as the canvas is stored. */
export function changeNode<Part extends Optional>(
  node: CanvasNode,
  part: Part,
  value: CanvasNode[Part] | undefined,
): CanvasNode {
  const { [part]: _, ...rest } = node;
  return isEmpty(value) ? (rest as CanvasNode) : { ...node, [part]: value };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
