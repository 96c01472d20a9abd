import { useEffect, useMemo, useState } from "react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { Remark } from "./remarks.ts";

/**
 * What the canvas and its panels say of problems. A node that was just added has empty fields, and nobody was there yet: what they miss is not
 * told before its panel is left, or somebody is led there. The list above the canvas has everything at once.
 */
export function useQuietRemarks(editor: Editor, openId: string | undefined, timesLed: number): Editor {
  const { select, canvas, saving } = editor;
  const [left, setLeft] = useState<readonly string[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever is led to a problem sees it.
  useEffect(
    () => (openId !== undefined && openId === select[0] ? () => setLeft(select) : undefined),
    [openId, select, timesLed],
  );
  const newId = select.length === 1 && left !== select ? select[0] : undefined;
  const node = canvas.nodes.find(({ id }) => id === newId);
  const remarks = useMemo(() => {
    const isTold = (remark: Remark) => !node || remark.nodeId !== node.id || isFilled(node, remark.pointer);
    return { faults: saving.remarks.faults.filter(isTold), warnings: saving.remarks.warnings.filter(isTold) };
  }, [saving.remarks, node]);
  return { ...editor, saving: { ...saving, remarks } };
}

/** Whether something was entered where the pointer leads to. */
function isFilled(node: CanvasNode, pointer: string): boolean {
  const [, part, name] = pointer.split("/");
  if (name === undefined || (part !== "parameters" && part !== "credentials")) return true;
  const value = node[part]?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  return value !== undefined && value !== "";
}
