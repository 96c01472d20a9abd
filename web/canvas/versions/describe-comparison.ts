import type { Canvas, CanvasEdge, CanvasNode, Comparison, NodeChange } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { counted, nodeTitle } from "../words.ts";

type CanvasContext = { canvas: Canvas; kinds: ReadonlyMap<string, NodeKind> };

/** What was added, removed and changed, one sentence each. */
export function describeComparison({ nodes, edges }: Comparison, { canvas, kinds }: CanvasContext): string[] {
  const known = [...canvas.nodes, ...nodes.added, ...nodes.removed];
  const titleOf = (id: string) => {
    const node = known.find((each) => each.id === id);
    return node ? nodeTitle(node, kinds.get(node.nodeId)) : id;
  };
  const named = (node: CanvasNode) => nodeTitle(node, kinds.get(node.nodeId));
  const ends = ({ source, target }: CanvasEdge) => `${titleOf(source)} to ${titleOf(target)}`;
  const moved = nodes.changed.filter(isMoved);
  const lines = [
    ...nodes.added.map((node) => `Added ${named(node)}.`),
    ...nodes.removed.map((node) => `Removed ${named(node)}.`),
    ...nodes.changed
      .filter((change) => !isMoved(change))
      .map((change) => `Changed ${titleOf(change.id)}: ${fieldsOf(change).join(", ")}.`),
    ...edges.added.map((edge) => `Connected ${ends(edge)}.`),
    ...edges.removed.map((edge) => `Disconnected ${ends(edge)}.`),
    ...(moved.length > 0 ? [`Moved ${counted(moved.length, "node")}.`] : []),
  ];
  return lines.length > 0 ? lines : ["Nothing is different."];
}

const isPlace = (pointer: string) => pointer === "/position" || pointer.startsWith("/position/");
const isMoved = ({ fields }: NodeChange) => fields.every(({ pointer }) => isPlace(pointer));

function fieldsOf({ fields }: NodeChange): string[] {
  return fields
    .filter(({ pointer }) => !isPlace(pointer))
    .map((field) => {
      const name = field.pointer
        .slice(1)
        .replace(/^(parameters|settings)\//, "")
        .replaceAll("/", " → ");
      if (!("before" in field)) return `${name} added`;
      return "after" in field ? name : `${name} removed`;
    });
}
