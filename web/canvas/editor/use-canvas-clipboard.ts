import { useReactFlow } from "@xyflow/react";
import type { ClipboardEvent } from "react";
import { clipNodes } from "../edit/copy-nodes.ts";
import { readClip, writeClip } from "../edit/read-clip.ts";
import type { Selection } from "../flow/selection.ts";
import type { Editor } from "./use-editor.ts";

/** Copies nodes as text, so that they can be pasted into another workflow too. The browser's own events need no permission. */
export function useCanvasClipboard({ canvas, edit }: Editor, getSelection: () => Selection) {
  const flow = useReactFlow();

  function onCopy(event: ClipboardEvent): boolean {
    const { nodeIds, noteIds } = getSelection();
    if (event.target !== event.currentTarget || nodeIds.length + noteIds.length === 0) return false;
    event.clipboardData.setData("text/plain", writeClip(clipNodes(canvas, nodeIds, noteIds)));
    event.preventDefault();
    return true;
  }

  return {
    onCopy: (event: ClipboardEvent) => void onCopy(event),
    onCut: (event: ClipboardEvent) => {
      if (onCopy(event)) edit({ type: "remove", ...getSelection(), edgeIds: [] });
    },
    onPaste: (event: ClipboardEvent) => {
      const clip =
        event.target === event.currentTarget ? readClip(event.clipboardData.getData("text/plain")) : undefined;
      if (!clip) return;
      event.preventDefault();
      const isFromHere =
        clip.nodes.some(({ id }) => canvas.nodes.some((node) => node.id === id)) ||
        (clip.notes ?? []).some(({ id }) => canvas.notes?.some((note) => note.id === id));
      const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
      const middle = flow.screenToFlowPosition({ x: left + width / 2 - 120, y: top + height / 2 - 40 });
      edit({ type: "paste", clip, ...(isFromHere ? {} : { at: middle }) });
    },
  };
}
