import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Clock, Code, History, Play } from "lucide-react";
import type { ReactNode } from "react";
import { changeWorkflow, workflowQuery } from "../../api/workflows.ts";
import { Button, buttonLook } from "../../parts/button.tsx";
import { Switch } from "../../parts/switch.tsx";
import type { Remark } from "../save/remarks.ts";
import { DraftBar } from "../versions/draft-bar.tsx";
import { NameField } from "./name-field.tsx";
import { SaveState } from "./save-state.tsx";
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
  const { organizationId, workflow, readOnly, saving } = editor;
  const toggle = (name: string) => onPanel(panel === name ? undefined : name);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <NameField organizationId={organizationId} workflow={workflow} readOnly={readOnly} />
      {readOnly ? <p className="text-sm text-muted">View only</p> : <SaveState saving={saving} onShow={onRemark} />}
      <DraftBar editor={editor} />
      <div className="ml-auto flex flex-wrap items-center gap-1.5">
        {!readOnly && <ActiveSwitch editor={editor} />}
        <Link
          to="/o/$organizationId/triggers"
          params={{ organizationId }}
          search={{ workflow: workflow.id }}
          className={buttonLook("bare")}
        >
          <Labelled icon={<Clock className="size-4" aria-hidden="true" />} label="Triggers" />
        </Link>
        <Button look="bare" aria-pressed={panel === "call"} onClick={() => toggle("call")} className={pressed}>
          <Labelled icon={<Code className="size-4" aria-hidden="true" />} label="Call this workflow" />
        </Button>
        <Button look="bare" aria-pressed={panel === "versions"} onClick={() => toggle("versions")} className={pressed}>
          <Labelled icon={<History className="size-4" aria-hidden="true" />} label="Versions" />
        </Button>
        {!readOnly && (
          <Button look="primary" onClick={onRun}>
            <Play className="size-4" aria-hidden="true" />
            Run
          </Button>
        )}
        <WorkflowMenu editor={editor} />
      </div>
    </header>
  );
}

const pressed = "aria-pressed:bg-accent-soft aria-pressed:text-accent";

function Labelled({ icon, label }: { icon: ReactNode; label: string }) {
  return (
    <>
      {icon}
      <span className="sr-only xl:not-sr-only">{label}</span>
    </>
  );
}

function ActiveSwitch({ editor: { organizationId, workflow } }: { editor: Editor }) {
  const queryClient = useQueryClient();
  return (
    <span title={workflow.isActive ? "Runs can be started" : "No run can be started"}>
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
