import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Clock, Code, Play, Rocket } from "lucide-react";
import { type ReactNode, useState } from "react";
import { changeWorkflow, workflowQuery } from "../../api/workflows.ts";
import { Button, buttonLook } from "../../parts/button.tsx";
import { Switch } from "../../parts/switch.tsx";
import type { Remark } from "../save/remarks.ts";
import { DraftState } from "../versions/draft-state.tsx";
import { PublishDialog } from "../versions/publish-dialog.tsx";
import { NameField } from "./name-field.tsx";
import type { Editor } from "./use-editor.ts";
import { WorkflowMenu } from "./workflow-menu.tsx";

type TopBarProps = {
  editor: Editor;
  panel: string | undefined;
  onPanel: (panel: string | undefined) => void;
  onRemark: (remark: Remark) => void;
  onRun: () => void;
};

export function TopBar({ editor, panel, onPanel, onRemark, onRun }: TopBarProps) {
  const { organizationId, workflow, readOnly } = editor;
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <NameField organizationId={organizationId} workflow={workflow} readOnly={readOnly} />
      <Views panel={panel} onPanel={onPanel} />
      <div className="ml-auto flex flex-wrap items-center gap-1.5">
        <DraftState editor={editor} onRemark={onRemark} onCompare={() => onPanel("versions")} />
        {!readOnly && workflow.version > 0 && <ActiveSwitch editor={editor} />}
        <Link
          to="/o/$organizationId/triggers"
          params={{ organizationId }}
          search={{ workflow: workflow.id }}
          className={`${buttonLook("bare")} px-2.5!`}
          title="Triggers"
        >
          <Labelled icon={<Clock className="size-4" aria-hidden="true" />} label="Triggers" />
        </Link>
        <Button
          look="bare"
          aria-pressed={panel === "call"}
          onClick={() => onPanel(panel === "call" ? undefined : "call")}
          className={`px-2.5! ${pressed}`}
          title="Call this workflow"
        >
          <Labelled icon={<Code className="size-4" aria-hidden="true" />} label="Call this workflow" />
        </Button>
        {!readOnly && (
          <>
            <Button onClick={onRun}>
              <Play className="size-4" aria-hidden="true" />
              Run
            </Button>
            <PublishButton editor={editor} onRemark={onRemark} onCompare={() => onPanel("versions")} />
          </>
        )}
        <WorkflowMenu editor={editor} />
      </div>
    </header>
  );
}

const pressed = "aria-pressed:bg-accent-soft aria-pressed:text-accent";

/** The canvas, what ran of it, or what it was. */
function Views({ panel: shown, onPanel }: Pick<TopBarProps, "panel" | "onPanel">) {
  const isEditor = shown !== "versions" && shown !== "runs";
  const view = (label: string, isShown: boolean, panel: string | undefined) => (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={() => !isShown && onPanel(panel)}
      className="min-h-7 rounded-md px-3 text-sm text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-sm"
    >
      {label}
    </button>
  );
  return (
    <fieldset className="flex gap-0.5 rounded-lg bg-hover p-0.5">
      <legend className="sr-only">What is shown of the workflow</legend>
      {view("Editor", isEditor, undefined)}
      {view("Runs", shown === "runs", "runs")}
      {view("Versions", shown === "versions", "versions")}
    </fieldset>
  );
}

type PublishButtonProps = Pick<TopBarProps, "editor" | "onRemark"> & { onCompare: () => void };

function PublishButton({ editor, onRemark, onCompare }: PublishButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { workflow, saving } = editor;
  const hasNothing = workflow.draft === null && saving.state.kind === "saved";
  const leave = (go: () => void) => {
    setOpen(false);
    go();
  };
  return (
    <>
      <Button
        look={hasNothing || editor.canvas.nodes.length === 0 ? "quiet" : "primary"}
        aria-disabled={hasNothing || undefined}
        title={hasNothing ? "There is nothing to publish: change the canvas first" : undefined}
        onClick={() => !hasNothing && setOpen(true)}
      >
        <Rocket className="size-4" aria-hidden="true" />
        Publish
      </Button>
      {isOpen && (
        <PublishDialog
          editor={editor}
          onRemark={(remark) => leave(() => onRemark(remark))}
          onCompare={() => leave(onCompare)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Labelled({ icon, label }: { icon: ReactNode; label: string }) {
  return (
    <>
      {icon}
      <span className="sr-only">{label}</span>
    </>
  );
}

function ActiveSwitch({ editor: { organizationId, workflow } }: { editor: Editor }) {
  const queryClient = useQueryClient();
  return (
    <span className="inline-flex" title={workflow.isActive ? "Runs can be started" : "No run can be started"}>
      <Switch
        label="Workflow is active"
        on={workflow.isActive}
        change={async (isActive) => {
          await changeWorkflow(organizationId, workflow.id, { isActive });
          const key = workflowQuery(organizationId, workflow.id).queryKey;
          queryClient.setQueryData(key, (before) => before && { ...before, isActive });
        }}
      />
    </span>
  );
}
