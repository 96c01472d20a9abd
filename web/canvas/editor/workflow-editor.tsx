import { useRouter } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useReducer, useRef, useState } from "react";
import type { Workflow } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import type { TriggerData } from "../../pages/triggers/panel/delivery-detail.tsx";
import { useDocumentTitle } from "../../parts/use-document-title.ts";
import { noteIdOf } from "../edit/note-edits.ts";
import { RunDialog } from "../running/run-dialog.tsx";
import { RunStrip } from "../running/run-strip.tsx";
import { useShownRun } from "../running/use-shown-run.ts";
import { RunsView } from "../runs/runs-view.tsx";
import type { BasedCanvas } from "../save/create-autosave.ts";
import type { Remark } from "../save/remarks.ts";
import { useQuietRemarks } from "../save/use-quiet-remarks.ts";
import { SteppingFrame } from "../stepping/stepping-frame.tsx";
import { AddedTrigger } from "../triggers/added-trigger.tsx";
import { VersionsView } from "../versions/versions-view.tsx";
import { DockArea } from "./dock-frame.tsx";
import { EditorCanvas } from "./editor-canvas.tsx";
import { EditorNotices } from "./editor-notices.tsx";
import { SidePanel } from "./side-panel.tsx";
import { TopBar } from "./top-bar.tsx";
import { useDock } from "./use-dock.ts";
import { useEditor } from "./use-editor.ts";
import { usePaneWalk } from "./use-pane-walk.ts";
import { useWorkflowSearch } from "./use-workflow-search.ts";

type WorkflowEditorProps = {
  organizationId: string;
  /** As it was when the page was opened, every node with a place. */
  opened: BasedCanvas;
  /** As the server has it now. */
  workflow: Workflow;
  kinds: Map<string, NodeKind>;
  readOnly: boolean;
};

export function WorkflowEditor({ organizationId, opened, workflow, kinds, readOnly }: WorkflowEditorProps) {
  useDocumentTitle(workflow.name);
  const editor = useEditor({ organizationId, workflow, opened, kinds, readOnly });
  const { search, show } = useWorkflowSearch();
  const run = useShownRun(organizationId, search.run);
  const frame = useRef<HTMLDivElement>(null);
  const panel = usePanelFocus(search.node ?? search.panel);
  const opening = useOpening(show, panel.want, frame);
  const { onOpen, onPanel, openPanel, onField, onRemark, timesLed } = opening;
  const shownPanel = search.node === undefined ? search.panel : undefined;
  const { onRun, onUse, dialog } = useStarting();
  const select = useSelect(editor.select, search.node, show);
  const { quiet, onTouched } = useQuietRemarks(editor, search.node, timesLed);
  const dock = useDock();
  const isOpen = editor.canvas.nodes.some(({ id }) => id === search.node);
  usePaneWalk(frame);

  const hideRun = () => show({ run: undefined });

  return (
    <SteppingFrame editor={editor} run={run} onStarted={(runId) => show({ run: runId })} onFailed={opening.onFailed}>
      <div className="flex h-[calc(100dvh-3.75rem)] min-h-96 flex-col md:h-dvh">
        <TopBar editor={editor} panel={shownPanel} onPanel={openPanel} onRemark={onRemark} onRun={onRun} />
        {!readOnly && <EditorNotices editor={editor} onVersions={() => openPanel("versions")} />}
        {run && <RunStrip organizationId={organizationId} run={run} canStop={!readOnly} onHide={hideRun} />}
        {shownPanel === "versions" && <VersionsView editor={editor} search={search} show={show} />}
        {shownPanel === "runs" && <RunsView editor={editor} search={search} show={show} />}
        {shownPanel !== "versions" && shownPanel !== "runs" && (
          <DockArea side={isOpen ? dock.side : "right"}>
            <EditorCanvas
              editor={quiet}
              run={run}
              select={select}
              frame={frame}
              onOpen={onOpen}
              onField={onField}
              onPalette={opening.onPalette}
              onRun={onRun}
              openPanel={shownPanel}
              onPanel={onPanel}
            />
            <SidePanel
              editor={quiet}
              search={search}
              timesLed={timesLed}
              run={run}
              onClose={opening.onClose}
              onUse={onUse}
              onTouched={onTouched}
              frame={panel.frame}
              dock={dock}
            />
          </DockArea>
        )}
        {!readOnly && (
          <AddedTrigger organizationId={organizationId} workflowId={workflow.id} panel={shownPanel} show={show} />
        )}
        {dialog && <RunDialog {...dialog} />}
      </div>
    </SteppingFrame>
  );
}

/** The question for the data of a run, which keeps what was typed into it or taken over from a delivery. */
function useStarting() {
  const [isStarting, setStarting] = useState(false);
  const [input, setInput] = useState({ prompt: "", payload: "" });
  const onRun = () => setStarting(true);
  return {
    onRun,
    onUse: ({ prompt, payload }: TriggerData) => {
      setInput({ prompt, payload: JSON.stringify(payload, null, 2) });
      onRun();
    },
    dialog: isStarting ? { input, onInput: setInput, onClose: () => setStarting(false) } : undefined,
  };
}

type Show = ReturnType<typeof useWorkflowSearch>["show"];

/** What opens and closes the panel beside the canvas. */
function useOpening(
  show: Show,
  want: ReturnType<typeof usePanelFocus>["want"],
  frame: RefObject<HTMLDivElement | null>,
) {
  const [timesLed, leadAgain] = useReducer((count: number) => count + 1, 0);
  const onOpen = useCallback(
    (nodeId: string | undefined, isByKeyboard: boolean) => {
      want(isByKeyboard ? nodeId : undefined);
      show({ node: nodeId, field: undefined, ...(nodeId === undefined ? {} : { panel: undefined }) });
    },
    [show, want],
  );
  const onPanel = useCallback(
    (panel: string | undefined, isByKeyboard: boolean) => {
      want(isByKeyboard ? panel : undefined);
      show({ panel, node: undefined, field: undefined });
    },
    [show, want],
  );
  // The list of nodes needs the room of the panel.
  const onPalette = useCallback(() => show({ node: undefined, field: undefined, panel: undefined }), [show]);
  const openPanel = (panel: string | undefined) =>
    show({ panel, node: undefined, field: undefined, from: undefined, to: undefined });
  const onClose = () => {
    show({ node: undefined, field: undefined, panel: undefined });
    frame.current?.focus();
  };
  const onField = (nodeId: string | undefined, pointer: string) => {
    show({ node: nodeId, field: pointer || undefined, panel: undefined });
    leadAgain();
  };
  const onRemark = ({ nodeId, pointer }: Remark) => onField(nodeId, pointer);
  const onFailed = (nodeId: string | undefined) => {
    if (nodeId !== undefined) onOpen(nodeId, false);
    leadAgain();
  };
  return { onOpen, onPalette, onPanel, openPanel, onClose, onField, onRemark, onFailed, timesLed };
}

/**
 * Whoever opens a panel by a key goes on in it. It may be there already, or only after the address has changed: until
 * then another one may be shown. `shown`: the node or the panel that the address names.
 */
function usePanelFocus(shown: string | undefined) {
  const frame = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  const [, look] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (wanted.current === undefined || wanted.current !== shown || !frame.current) return;
    wanted.current = undefined;
    frame.current.focus();
  });
  const want = useCallback((id: string | undefined) => {
    wanted.current = id;
    look();
  }, []);
  return { frame, want };
}

/** What is selected from outside of the canvas: by an edit, whose new node is opened too, or by the address. */
function useSelect(
  edited: readonly string[],
  nodeId: string | undefined,
  show: ReturnType<typeof useWorkflowSearch>["show"],
) {
  const [select, setSelect] = useState<readonly string[]>(nodeId === undefined ? [] : [nodeId]);
  const first = useRef(edited);
  const { history } = useRouter();
  useEffect(() => {
    if (first.current === edited) return;
    first.current = edited;
    setSelect(edited);
    const [only, ...others] = edited.filter((boxId) => noteIdOf(boxId) === undefined);
    show({ node: others.length === 0 ? only : undefined, field: undefined });
  }, [edited, show]);
  useEffect(() => {
    if (nodeId === undefined) return;
    setSelect([nodeId]);
    // A link to the node that is open already selects and shows it again; what is shown from here only replaces the address.
    return history.subscribe(({ action }) => action.type === "PUSH" && setSelect([nodeId]));
  }, [nodeId, history]);
  return select;
}
