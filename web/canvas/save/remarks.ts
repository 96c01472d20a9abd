import type { Canvas } from "../../../src/workflows/wire.ts";
import { describeRemark } from "../../pages/workflows/describe-remark.ts";
import type { FieldFault } from "../../problem.ts";

/** Something the server said about the canvas, and where it leads to. */
export type Remark = FieldFault & {
  /** The node it is about; for an edge the one it leaves. */
  nodeId: string | undefined;
  words: string;
};

export type Remarks = { faults: readonly Remark[]; warnings: readonly Remark[] };

export const noRemarks: Remarks = { faults: [], warnings: [] };

/** Pointers count the nodes of the canvas that was sent; here they become relative to the node. */
export function locateRemarks(list: readonly FieldFault[], canvas: Canvas): Remark[] {
  return list.map((remark) => {
    const words = describeRemark(canvas, remark);
    const [, part, index, pointer = ""] = /^\/canvas\/(nodes|edges)\/(\d+)(\/.*)?$/.exec(remark.pointer) ?? [];
    if (part === "edges")
      return { nodeId: canvas.edges[Number(index)]?.source, pointer: "", detail: remark.detail, words };
    return { nodeId: part ? canvas.nodes[Number(index)]?.id : undefined, pointer, detail: remark.detail, words };
  });
}

export function countByNode(remarks: readonly Remark[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeId } of remarks) if (nodeId !== undefined) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  return counts;
}
