import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { NodePanel } from "../../node-form/node-panel.tsx";
import type { TriggerData } from "../../pages/triggers/panel/delivery-detail.tsx";
import { CallPanel } from "../../pages/workflows/call-panel.tsx";
import { isInField } from "../../parts/is-in-field.ts";
import { ToolButton } from "../flow/tool-button.tsx";
import { ToolPanel } from "../tool/tool-panel.tsx";
import { readTriggerPanel, toolPanel } from "../triggers/panel-names.ts";
import { TriggerPanel } from "../triggers/trigger-panel.tsx";
import { DockFrame } from "./dock-frame.tsx";
import type { Dock } from "./use-dock.ts";
import type { Editor } from "./use-editor.ts";
import type { WorkflowSearch } from "./use-workflow-search.ts";

type SidePanelProps = {
  editor: Editor;
  search: WorkflowSearch;
  /** Raised whenever somebody is led to the field in the address. */
  timesLed: number;
  run: Run | undefined;
  frame: RefObject<HTMLDivElement | null>;
  dock: Dock;
  onTouched: (nodeId: string, pointer: string) => void;
  onClose: () => void;
  /** Runs the workflow with the data of an event. */
  onUse: (data: TriggerData) => void;
};

/** What is open beside or below the canvas; on a narrow screen it takes the place of the canvas, or most of it. */
export function SidePanel(props: SidePanelProps) {
  const { editor, search, timesLed, run, frame, dock, onTouched, onClose, onUse } = props;
  const { organizationId, workflow, canvas, kinds, saving, readOnly, unreadTexts } = editor;
  const node = canvas.nodes.find(({ id }) => id === search.node);
  if (node) {
    const about = ({ nodeId }: { nodeId: string | undefined }) => nodeId === node.id;
    return (
      <DockFrame key={node.id} side={dock.side} frame={frame}>
        <NodePanel
          organizationId={organizationId}
          workflowId={workflow.id}
          canvas={canvas}
          node={node}
          run={run}
          readOnly={readOnly}
          unreadTexts={unreadTexts}
          timesLed={timesLed}
          onClose={onClose}
          onTouched={(pointer) => onTouched(node.id, pointer)}
          dock={dock}
          kind={kinds.get(node.nodeId)}
          faults={saving.remarks.faults.filter(about)}
          warnings={saving.remarks.warnings.filter(about)}
          onChange={editor.changeNode}
          {...(search.field === undefined ? {} : { field: search.field })}
        />
      </DockFrame>
    );
  }
  const triggerId = readTriggerPanel(search.panel);
  if (triggerId !== undefined)
    return (
      <Frame key={triggerId} frame={frame}>
        <TriggerPanel
          organizationId={organizationId}
          triggerId={triggerId}
          readOnly={readOnly}
          onClose={onClose}
          onUse={onUse}
        />
      </Frame>
    );
  if (search.panel === toolPanel)
    return (
      <Titled hasForm title="This workflow as a tool" frame={frame} onClose={onClose}>
        <ToolPanel key={workflow.id} organizationId={organizationId} workflow={workflow} readOnly={readOnly} />
      </Titled>
    );
  if (search.panel === "call")
    return (
      <Titled title="Call this workflow" frame={frame} onClose={onClose}>
        <CallPanel organizationId={organizationId} workflow={workflow} canvas={workflow.canvas} />
      </Titled>
    );
  return null;
}

function Frame({ frame, children }: { frame: SidePanelProps["frame"]; children: ReactNode }) {
  return (
    <div
      ref={frame}
      tabIndex={-1}
      className="absolute inset-0 z-10 min-h-0 shrink-0 overflow-hidden border-line bg-surface outline-none md:static md:w-105 md:border-l"
    >
      {children}
    </div>
  );
}

type TitledProps = Pick<SidePanelProps, "frame" | "onClose"> & {
  title: string;
  /** Escape in a field of a form does not throw away what is typed. */
  hasForm?: boolean;
  children: ReactNode;
};

function Titled({ title, hasForm = false, frame, onClose, children }: TitledProps) {
  useEffect(() => frame.current?.focus(), [frame]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, currentTarget, defaultPrevented } = event;
    // A dialog opened from here is a child for React, but not part of the panel.
    if (!(target instanceof Element) || !currentTarget.contains(target) || (hasForm && isInField(target))) return;
    if (key === "Escape" && !defaultPrevented) onClose();
  };
  return (
    <Frame frame={frame}>
      <section aria-label={title} className="flex h-full flex-col" onKeyDown={onKeyDown}>
        <div className="flex items-center justify-between border-b border-line px-4 py-2.5">
          <h2 className="font-semibold">{title}</h2>
          <ToolButton label={`Close ${title}`} onClick={onClose}>
            <X className="size-4" aria-hidden="true" />
          </ToolButton>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
      </section>
    </Frame>
  );
}
