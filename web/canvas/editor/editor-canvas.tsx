import { type RefObject, use, useCallback, useMemo, useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { canConnect } from "../edit/new-ids.ts";
import { FlowActionsContext } from "../flow/flow-actions.ts";
import { type FlowEditing, FlowSurface, type Selection } from "../flow/flow-surface.tsx";
import { SmallMap } from "../flow/small-map.tsx";
import { useGetSelection } from "../flow/use-get-selection.ts";
import { useGo } from "../flow/use-go.ts";
import { useKeepInView } from "../flow/use-keep-in-view.ts";
import { useReadingKeys } from "../flow/use-reading-keys.ts";
import { nodeDragType, Palette } from "../palette/palette.tsx";
import { countByNode } from "../save/remarks.ts";
import { type StepMode, SteppingContext } from "../stepping/stepping-context.ts";
import { AddTriggerMenu } from "../triggers/add-trigger-menu.tsx";
import { panelOfNew } from "../triggers/panel-names.ts";
import { type CardPanels, TriggerCards } from "../triggers/trigger-cards.tsx";
import { CanvasBar } from "./canvas-bar.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { EmptyCanvas } from "./empty-canvas.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { useAdding } from "./use-adding.ts";
import { useCanvasClipboard } from "./use-canvas-clipboard.ts";
import { editingKeys, useEditCommands } from "./use-editing-keys.ts";
import type { Editor } from "./use-editor.ts";
import { useNarrow } from "./use-narrow.ts";

type EditorCanvasProps = CardPanels & {
  editor: Editor;
  run: Run | undefined;
  select: readonly string[];
  frame: RefObject<HTMLDivElement | null>;
  onOpen: (nodeId: string | undefined, byKeyboard: boolean) => void;
  onPalette: () => void;
  onRun: () => void;
};

const manyNodes = 12;

export function EditorCanvas({ editor, run, select, frame, onOpen, onPalette, onRun, ...panels }: EditorCanvasProps) {
  const { canvas, kinds, readOnly, saving } = editor;
  const editable = !useNarrow() && !readOnly;
  useKeepInView(select, frame, { canvas, kinds });
  const onPress = useCallback((nodeId: string | undefined) => onOpen(nodeId, false), [onOpen]);
  const [selection, setSelection] = useState<Selection>({ nodeIds: [], edgeIds: [] });
  const [dialog, setDialog] = useState<CanvasDialogProps["dialog"]>();
  const [minimap, setMinimap] = useState(() => canvas.nodes.length > manyNodes);
  const getSelection = useGetSelection();
  const adding = useAdding({ editor, getSelection, frame, onOpen: onPalette });
  const commands = useEditCommands(editor, getSelection);
  const editing = useFlowEditing(editor, getSelection, adding);
  const toggleMinimap = () => setMinimap(!minimap);
  const going = useGo(canvas);
  const reading = useReadingKeys({ ...going, onOpen: (nodeId) => onOpen(nodeId, true) });
  const openers = {
    palette: adding.open,
    connect: () => getSelection().nodeIds.length > 0 && setDialog("connect"),
    shortcuts: () => setDialog("shortcuts"),
    ...useRunChosen(getSelection, onRun),
    minimap: toggleMinimap,
  };
  const keys = () => ({
    ...reading,
    ...(editable ? editingKeys({ ...commands, ...going }, openers) : { m: toggleMinimap, "?": openers.shortcuts }),
  });
  const counts = useRemarkCounts(saving.remarks);

  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <AddingPalette adding={adding} />
      <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        <FlowActionsContext value={editable ? adding.actions : undefined}>
          <FlowSurface
            drawing={{ canvas, kinds, runNodes: run?.nodes, ...counts, editable }}
            select={select}
            onSelection={setSelection}
            onPress={onPress}
            keys={keys}
            editing={editable ? editing : undefined}
            frame={frame}
          >
            <TriggerCards editor={editor} frame={frame} {...panels} />
            {minimap && <SmallMap />}
          </FlowSurface>
        </FlowActionsContext>
        <OverCanvas editor={editor} editable={editable} onAdd={adding.open} onPanel={panels.onPanel} />
        <CanvasBar
          editor={editor}
          commands={commands}
          minimap={minimap}
          isNodeSelected={selection.nodeIds.length > 0}
          isAnythingSelected={selection.nodeIds.length + selection.edgeIds.length > 0}
          onMinimap={toggleMinimap}
          onAdd={adding.open}
          onShortcuts={openers.shortcuts}
        />
      </div>
      <CanvasDialog dialog={dialog} editor={editor} getSelection={getSelection} onClose={() => setDialog(undefined)} />
    </div>
  );
}

type OverCanvasProps = Pick<CardPanels, "onPanel"> & { editor: Editor; editable: boolean; onAdd: () => void };

/** What is not part of the drawing: a menu in it would lose the focus to the canvas. */
function OverCanvas({ editor: { canvas, readOnly }, editable, onAdd, onPanel }: OverCanvasProps) {
  return (
    <>
      {editable && <AddTriggerMenu onAdd={(kind) => onPanel(panelOfNew(kind), true)} />}
      {canvas.nodes.length === 0 && <EmptyCanvas readOnly={readOnly} onAdd={onAdd} />}
    </>
  );
}

/** The node that is chosen alone, otherwise everything. */
function useRunChosen(getSelection: () => Selection, onRun: () => void) {
  const stepping = use(SteppingContext);
  const start = (mode: StepMode) => () => {
    const [nodeId, ...others] = getSelection().nodeIds;
    if (stepping && nodeId !== undefined && others.length === 0) stepping.step(nodeId, mode);
    else onRun();
  };
  return { run: start("node"), runToHere: start("toHere") };
}

function AddingPalette({ adding }: { adding: ReturnType<typeof useAdding> }) {
  if (!adding.isOpen) return null;
  return <Palette {...adding.palette} />;
}

const useRemarkCounts = (remarks: Editor["saving"]["remarks"]) =>
  useMemo(
    () => ({ faultCounts: countByNode(remarks.faults), warningCounts: countByNode(remarks.warnings) }),
    [remarks],
  );

type CanvasDialogProps = {
  dialog: "connect" | "shortcuts" | undefined;
  editor: Editor;
  getSelection: () => Selection;
  onClose: () => void;
};

function CanvasDialog({ dialog, editor, getSelection, onClose }: CanvasDialogProps) {
  if (dialog === "shortcuts") return <ShortcutsDialog onClose={onClose} />;
  if (dialog === "connect")
    return <ConnectDialog editor={editor} nodeId={getSelection().nodeIds[0] ?? ""} onClose={onClose} />;
  return null;
}

function useFlowEditing(
  editor: Editor,
  getSelection: () => Selection,
  adding: ReturnType<typeof useAdding>,
): FlowEditing {
  const { canvas, kinds, edit } = editor;
  return {
    onMove: (positions) => edit({ type: "move", positions }),
    onConnect: ({ source, sourceHandle, target }) =>
      edit({ type: "connect", from: { nodeId: source, way: sourceHandle ?? "out" }, target }),
    onConnectNowhere: adding.actions.addAfter,
    isValidConnection: ({ source, sourceHandle, target }) =>
      canConnect(canvas, { nodeId: source, way: sourceHandle ?? "out" }, target),
    onDrop: (event, position) => {
      const kind = kinds.get(event.dataTransfer.getData(nodeDragType));
      if (!kind) return;
      event.preventDefault();
      adding.add(kind, position);
    },
    clipboard: useCanvasClipboard(editor, getSelection),
  };
}
