import { useCallback, useEffect, useMemo, useState } from "react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { Remark } from "./remarks.ts";

/**
 * What the canvas and its panels say of problems. A node that was just added has empty fields, and nobody was there yet: what they miss is not
 * told before somebody left the field or the panel, was led there, or tried to run it. The list above the canvas has everything at once.
 */
export function useQuietRemarks(editor: Editor, openId: string | undefined, timesLed: number) {
  const { select, canvas, saving } = editor;
  const [left, setLeft] = useState<readonly string[]>();
  const [touched, setTouched] = useState<readonly Touched[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever is led to a problem sees it.
  useEffect(
    () => (openId !== undefined && openId === select[0] ? () => setLeft(select) : undefined),
    [openId, select, timesLed],
  );
  const newId = select.length === 1 && left !== select ? select[0] : undefined;
  const node = canvas.nodes.find(({ id }) => id === newId);
  const remarks = useMemo(() => {
    const isTold = (remark: Remark) =>
      !node || remark.nodeId !== node.id || isFilled(node, remark.pointer) || touched.some(isAt(remark));
    return { faults: saving.remarks.faults.filter(isTold), warnings: saving.remarks.warnings.filter(isTold) };
  }, [saving.remarks, node, touched]);
  const onTouched = useCallback(
    (nodeId: string, pointer: string) =>
      setTouched((before) => (before.some(isAt({ nodeId, pointer })) ? before : [...before, { nodeId, pointer }])),
    [],
  );
  return { quiet: { ...editor, saving: { ...saving, remarks } }, onTouched };
}

/** A field that somebody was in. */
type Touched = Pick<Remark, "nodeId" | "pointer">;

const isAt =
  ({ nodeId, pointer }: Touched) =>
  (touched: Touched): boolean =>
    touched.nodeId === nodeId && `${pointer}/`.startsWith(`${touched.pointer}/`);

/** Whether something was entered where the pointer leads to. */
function isFilled(node: CanvasNode, pointer: string): boolean {
  const [, part, name] = pointer.split("/");
  if (name === undefined || (part !== "parameters" && part !== "credentials")) return true;
  const value = node[part]?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  return value !== undefined && value !== "";
}
