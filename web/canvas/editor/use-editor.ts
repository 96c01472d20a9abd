import { useCallback, useReducer, useState } from "react";
import type { Canvas, CanvasNode, Workflow } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { createUnreadTexts, type UnreadTexts } from "../../node-form/unread-texts.ts";
import { useMe } from "../../session.ts";
import { type Edit, editCanvas, startEditing } from "../edit-canvas.ts";
import { placeUnplaced } from "../place-nodes.ts";
import type { BasedCanvas } from "../save/create-autosave.ts";
import { createUnsaved } from "../save/unsaved.ts";
import { type Saving, useAutosave } from "../save/use-autosave.ts";
import { waysOf } from "../ways-of.ts";

export type Editor = {
  /** As the server had it when the editor was opened, with a place for every node. */
  opened: BasedCanvas;
  organizationId: string;
  workflow: Workflow;
  kinds: Map<string, NodeKind>;
  readOnly: boolean;
  canvas: Canvas;
  /** Nodes that the last edit wants selected. */
  select: readonly string[];
  canUndo: boolean;
  canRedo: boolean;
  edit: (edit: Edit) => void;
  changeNode: (node: CanvasNode) => void;
  /** Goes on from another saved canvas and forgets the changes that are not saved. */
  take: (other: BasedCanvas) => Promise<void>;
  saving: Saving;
  /** Of the panels of the nodes. */
  unreadTexts: UnreadTexts;
  /** Whether changes from an earlier visit were brought back. */
  wasRestored: boolean;
};

type Options = Pick<Editor, "organizationId" | "workflow" | "opened" | "kinds" | "readOnly">;

export function useEditor({ organizationId, workflow, opened, kinds, readOnly }: Options): Editor {
  const { user } = useMe();
  const [kept] = useState(() => (readOnly ? undefined : createUnsaved(user.id, workflow.id)));
  const [unsaved] = useState(() => kept?.read(opened.canvas));
  const [state, edit] = useReducer(editCanvas, (unsaved?.canvas ?? opened.canvas) as Canvas, startEditing);
  const [unreadTexts] = useState(() => createUnreadTexts(kept?.texts));
  const workflowId = workflow.id;
  const saving = useAutosave({ organizationId, workflowId, opened, canvas: state.canvas, unsaved, readOnly });
  const { autosave, check } = saving;

  const changeNode = useCallback(
    (node: CanvasNode) => {
      const before = state.canvas.nodes.find(({ id }) => id === node.id);
      if (!before) return;
      const kind = kinds.get(node.nodeId);
      edit({
        type: "change",
        node,
        ways: { before: waysOf(before, kind), after: waysOf(node, kind) },
        atMs: Date.now(),
      });
    },
    [state.canvas, kinds],
  );
  const take = useCallback(
    async (other: BasedCanvas) => {
      const canvas = await placeUnplaced(other.canvas, kinds);
      autosave.adopt({ canvas, version: other.version, revision: other.revision });
      edit({ type: "replace", canvas });
      // It is taken, whatever the server says of it.
      await check(canvas).catch(() => undefined);
    },
    [autosave, check, kinds],
  );
  return {
    organizationId,
    opened,
    workflow,
    kinds,
    readOnly,
    edit,
    changeNode,
    take,
    saving,
    unreadTexts,
    canvas: state.canvas,
    select: state.select,
    canUndo: state.past.length > 0,
    canRedo: state.future.length > 0,
    wasRestored: unsaved !== undefined,
  };
}
