import { Dialog } from "../../parts/dialog.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { canConnect } from "../edit/new-ids.ts";
import { waysOf } from "../ways-of.ts";
import { nodeTitle } from "../words.ts";
import type { Editor } from "./use-editor.ts";

/** Draws a line without the mouse: from the chosen node to one of those it can lead to. */
export function ConnectDialog({ editor, nodeId, onClose }: { editor: Editor; nodeId: string; onClose: () => void }) {
  const { canvas, kinds, edit } = editor;
  const node = canvas.nodes.find(({ id }) => id === nodeId);
  if (!node) return null;
  const ways = waysOf(node, kinds.get(node.nodeId));

  const find = (text: string) =>
    ways.flatMap((way) => {
      const targets = canvas.nodes.filter(
        (target) =>
          canConnect(canvas, { nodeId, way }, target.id) &&
          `${nodeTitle(target, kinds.get(target.nodeId))} ${target.id}`
            .toLowerCase()
            .includes(text.trim().toLowerCase()),
      );
      const entries = targets.map((target) => ({ way, target }));
      return entries.length === 0 ? [] : [{ title: ways.length > 1 ? `Way ${way} leads to` : "Leads to", entries }];
    });

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Connect ${nodeTitle(node, kinds.get(node.nodeId))}`}
      description="Choose the node it leads to."
    >
      <div className="flex max-h-80 flex-col">
        <PickList
          label="Search nodes of this canvas"
          find={find}
          idOf={({ way, target }) => `${way}-${target.id}`}
          onPick={({ way, target }) => {
            edit({ type: "connect", from: { nodeId, way }, target: target.id });
            onClose();
          }}
          nothing="There is no node it can lead to. Add one with the key N."
          show={({ target }) => (
            <>
              <NodeIcon nodeId={target.nodeId} providerId={kinds.get(target.nodeId)?.provider?.id ?? null} />
              <span className="truncate">{nodeTitle(target, kinds.get(target.nodeId))}</span>
              <span className="ml-auto truncate text-xs text-muted">{target.id}</span>
            </>
          )}
        />
      </div>
    </Dialog>
  );
}
