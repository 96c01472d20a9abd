import { ReactFlowProvider } from "@xyflow/react";
import { type RefObject, useCallback, useMemo, useState } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { canConnect } from "../edit/new-ids.ts";
import { noteBoxId, noteIdOf } from "../edit/note-edits.ts";
import { FlowActionsContext } from "../flow/flow-actions.ts";
import { type FlowEditing, FlowSurface } from "../flow/flow-surface.tsx";
import { nothingSelected, type Selection } from "../flow/selection.ts";
import { SmallMap } from "../flow/small-map.tsx";
import { useFitAll } from "../flow/use-fit-all.ts";
import { useGetSelection } from "../flow/use-get-selection.ts";
import { useGo } from "../flow/use-go.ts";
import { useKeepInView } from "../flow/use-keep-in-view.ts";
import { useReadingKeys } from "../flow/use-reading-keys.ts";
import { CanvasMenu } from "../menu/canvas-menu.tsx";
import { useCanvasMenu } from "../menu/use-canvas-menu.ts";
import { NotesContext } from "../notes/notes-context.ts";
import { useNotes } from "../notes/use-notes.ts";
import { nodeDragType, Palette } from "../palette/palette.tsx";
import { countByNode } from "../save/remarks.ts";
import { CanvasSearch } from "../search/canvas-search.tsx";
import { useCanvasSearch } from "../search/use-canvas-search.ts";
import { AddTriggerMenu } from "../triggers/add-trigger-menu.tsx";
import { type CardPanels, TriggerCards } from "../triggers/trigger-cards.tsx";
import { useTriggerCards } from "../triggers/use-trigger-cards.ts";
import { CanvasBar } from "./canvas-bar.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { EmptyCanvas } from "./empty-canvas.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";
import { useAdding } from "./use-adding.ts";
import { useCanvasClipboard } from "./use-canvas-clipboard.ts";
import { useChosenCommands } from "./use-chosen-commands.ts";
import { editingKeys, useEditCommands } from "./use-editing-keys.ts";
import type { Editor } from "./use-editor.ts";
import { useNarrow } from "./use-narrow.ts";
import { usePaletteKey } from "./use-palette-key.ts";

type EditorCanvasProps = CardPanels & {
  editor: Editor;
  run: Run | undefined;
  select: readonly string[];
  frame: RefObject<HTMLDivElement | null>;
  onOpen: (nodeId: string | undefined, byKeyboard: boolean) => void;
  /** Opens a node at one of its fields. */
  onField: (nodeId: string, pointer: string) => void;
  onPalette: () => void;
  onRun: () => void;
};

const manyNodes = 12;

export function EditorCanvas(props: EditorCanvasProps) {
  return (
    <ReactFlowProvider>
      <DrawnCanvas {...props} />
    </ReactFlowProvider>
  );
}

function DrawnCanvas(props: EditorCanvasProps) {
  const { editor, run, select, frame, onOpen, openPanel, onPanel } = props;
  const { canvas, kinds, readOnly, saving } = editor;
  const editable = !useNarrow() && !readOnly;
  useKeepInView(select, frame, { canvas, kinds });
  const onPress = useCallback((nodeId: string | undefined) => onOpen(nodeId, false), [onOpen]);
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const parts = useCanvasParts(props, editable);
  const { adding, commands, notes, menu, search, minimap, dialog } = parts;
  const actions = useMemo(() => ({ ...adding.actions, openMenu: menu.open }), [adding.actions, menu.open]);
  const counts = useRemarkCounts(saving.remarks);

  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      {adding.isOpen && <Palette {...adding.palette} />}
      <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
        <FlowActionsContext value={editable ? actions : undefined}>
          <NotesContext value={editable ? notes.actions : undefined}>
            <FlowSurface
              drawing={{ canvas, kinds, runNodes: run?.nodes, ...counts, editable }}
              select={select}
              onSelection={setSelection}
              onPress={onPress}
              keys={parts.keys}
              editing={editable ? parts.editing : undefined}
              frame={frame}
            >
              <TriggerCards editor={editor} frame={frame} openPanel={openPanel} onPanel={onPanel} />
              {minimap.isShown && <SmallMap />}
            </FlowSurface>
          </NotesContext>
        </FlowActionsContext>
        <OverCanvas editor={editor} editable={editable} onAdd={adding.open} onPanel={onPanel} />
        {search.isOpen && (
          <CanvasSearch editor={editor} goTo={parts.going.goTo} timesAsked={search.timesAsked} onClose={search.close} />
        )}
        {notes.problem && <Told words={notes.problem} />}
        <CanvasBar
          editor={editor}
          commands={commands}
          minimap={minimap.isShown}
          isNodeSelected={selection.nodeIds.length + selection.noteIds.length > 0}
          isAnythingSelected={Object.values(selection).some(({ length }) => length > 0)}
          onMinimap={minimap.toggle}
          onAdd={adding.open}
          onNote={() => notes.add()}
          onSearch={search.open}
          onShortcuts={() => dialog.show("shortcuts")}
        />
      </div>
      <AskedFor editor={editor} editable={editable} parts={parts} frame={frame} onPanel={onPanel} />
    </div>
  );
}

type AskedForProps = Pick<EditorCanvasProps, "editor" | "frame" | "onPanel"> & {
  editable: boolean;
  parts: ReturnType<typeof useCanvasParts>;
};

/** Menus and dialogs that were opened from the canvas. */
function AskedFor({ editor, editable, parts: { menu, menuCommands, dialog, getSelection }, ...rest }: AskedForProps) {
  const close = () => dialog.show(undefined);
  return (
    <>
      {editable && (
        <CanvasMenu editor={editor} menu={menu.shown} commands={menuCommands} onClose={menu.close} {...rest} />
      )}
      <CanvasDialog dialog={dialog.shown} editor={editor} getSelection={getSelection} onClose={close} />
    </>
  );
}

/** What the canvas can do, for keys, menus and buttons. */
function useCanvasParts(props: EditorCanvasProps, editable: boolean) {
  const { editor, frame, onOpen, onField, onPalette, onPanel, onRun } = props;
  const getSelection = useGetSelection();
  const [shown, show] = useState<CanvasDialogProps["dialog"]>();
  const minimap = useMinimap(editor.canvas.nodes.length);
  const adding = useAdding({
    editor,
    getSelection,
    frame,
    onOpen: onPalette,
    onStart: (panel) => onPanel(panel, true),
  });
  usePaletteKey(editable ? adding.open : undefined);
  const notes = useNotes({ editor, frame });
  const going = useGo(editor.canvas);
  const menu = useCanvasMenu({ going, frame });
  const search = useCanvasSearch(frame);
  const chosen = useChosenCommands({ editor, getSelection, onRun, onField });
  const commands = { ...useEditCommands(editor, getSelection), ...chosen };
  const open = (boxId: string | undefined) => {
    const noteId = noteIdOf(boxId ?? "");
    if (noteId === undefined) onOpen(boxId, true);
    else if (editable) notes.actions.edit(noteId);
  };
  const reading = useReadingKeys({ ...going, onOpen: open });
  const openers = {
    palette: adding.open,
    connect: () => getSelection().nodeIds.length > 0 && show("connect"),
    shortcuts: () => show("shortcuts"),
    minimap: minimap.toggle,
    note: () => notes.add(),
    menu: menu.openAtSelection,
  };
  const menuCommands = {
    ...commands,
    addNode: adding.open,
    addNote: () => notes.add(menu.shown?.at),
    editNote: () => open(getSelection().noteIds.map(noteBoxId)[0]),
    search: search.open,
    fitAll: useFitAll(),
  };
  const keys = () => ({
    ...reading,
    ...(editable
      ? editingKeys({ ...commands, ...going }, openers)
      : { m: minimap.toggle, g: going.goToNote, "?": openers.shortcuts }),
  });
  const editing = useFlowEditing(editor, getSelection, { adding, onMenu: menu.open });
  const dialog = { shown, show };
  return { adding, notes, going, menu, search, minimap, commands, menuCommands, keys, editing, getSelection, dialog };
}

function useMinimap(nodeCount: number) {
  const [isShown, setShown] = useState(nodeCount > manyNodes);
  return { isShown, toggle: () => setShown(!isShown) };
}

/** What could not be done, over the canvas. */
const Told = ({ words }: { words: string }) => (
  <p
    role="alert"
    className="absolute inset-x-0 bottom-16 mx-auto w-fit rounded-lg bg-danger-soft px-3 py-2 text-sm text-danger"
  >
    {words}
  </p>
);

type OverCanvasProps = Pick<CardPanels, "onPanel"> & { editor: Editor; editable: boolean; onAdd: () => void };

/** What is not part of the drawing: a menu in it would lose the focus to the canvas. */
function OverCanvas({ editor, editable, onAdd, onPanel }: OverCanvasProps) {
  const { canvas, readOnly, organizationId, workflow } = editor;
  const isStarted = useTriggerCards(organizationId, workflow).length > 0;
  const onStart = (panel: string) => onPanel(panel, true);
  return (
    <>
      {editable && <AddTriggerMenu onAdd={onStart} />}
      {canvas.nodes.length === 0 && !canvas.notes && (
        <EmptyCanvas readOnly={readOnly} isStarted={isStarted} onAdd={onAdd} onStart={onStart} />
      )}
    </>
  );
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
  { adding, onMenu }: { adding: ReturnType<typeof useAdding>; onMenu: FlowEditing["onMenu"] },
): FlowEditing {
  const { canvas, kinds, edit } = editor;
  return {
    onMenu,
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
