import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { ToolInput, Workflow, WorkflowTool } from "../../../src/workflows/wire.ts";
import { changeWorkflow, workflowQuery, workflowsKey } from "../../api/workflows.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { suggestToolName } from "./describe-tool.ts";
import { ToolFacts } from "./tool-facts.tsx";
import { ToolInputs } from "./tool-inputs.tsx";
import { ToolSnippets } from "./tool-snippets.tsx";

type ToolPanelProps = { organizationId: string; workflow: Workflow; readOnly: boolean };

/** Whether AI clients find the workflow as a tool, under which name and with which inputs. It counts at once, and is no part of the draft. */
export function ToolPanel({ organizationId, workflow, readOnly }: ToolPanelProps) {
  return (
    <div className="grid grid-cols-1 gap-6">
      {workflow.tool && <Readiness workflow={workflow} />}
      {readOnly ? <ToolFacts workflow={workflow} /> : <ToolForm organizationId={organizationId} workflow={workflow} />}
      {workflow.tool && <ToolSnippets organizationId={organizationId} tool={workflow.tool} />}
    </div>
  );
}

function Readiness({ workflow: { version, isActive } }: { workflow: Workflow }) {
  if (version === 0) return <Notice kind="warning">No client sees it yet: publish the workflow first.</Notice>;
  if (!isActive) return <Notice kind="warning">No client sees it yet: the workflow is off.</Notice>;
  return <Notice kind="success">Clients of this organization see it now.</Notice>;
}

function ToolForm({ organizationId, workflow }: Omit<ToolPanelProps, "readOnly">) {
  const id = useId();
  const [name, setName] = useState(workflow.tool?.name ?? suggestToolName(workflow.name));
  const [description, setDescription] = useState(workflow.description);
  const [inputs, setInputs] = useState<ToolInput[]>(workflow.tool?.inputs ?? []);
  const save = useSaveTool(organizationId, workflow.id);
  const offer = () => save({ tool: { name, inputs }, description });
  const [isAsking, setAsking] = useState(false);
  const takeBack = () => save({ tool: null });
  const turn = async (on: boolean) => {
    if (on) return offer();
    if (workflow.tool?.inputs.length) return setAsking(true);
    return takeBack();
  };
  return (
    <div className="grid gap-4">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="font-medium">Offer as a tool</span>
        <Switch label="Offer as a tool" on={workflow.tool !== null} change={turn} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Take the tool back?"
          description="Clients find it no longer, and its name and inputs are forgotten."
          confirm="Take it back"
          act={takeBack}
          onClose={() => setAsking(false)}
        />
      )}
      <Form wide submit={workflow.tool ? "Save the tool" : "Offer as a tool"} send={offer} done="Saved.">
        <TextField
          label="Name of the tool"
          name="tool/name"
          hint="Lower-case letters, digits and underscores. Clients call it by this name."
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="grid gap-1.5">
          <label htmlFor={`${id}-description`} className="text-sm font-medium">
            Description
          </label>
          <textarea
            id={`${id}-description`}
            name="description"
            rows={3}
            maxLength={5000}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            aria-describedby={`${id}-hint`}
            className={controlLook}
          />
          <p id={`${id}-hint`} className="text-xs text-muted">
            Tells the model when to call it. It is the description of the workflow too.
          </p>
        </div>
        <ToolInputs inputs={inputs} onChange={setInputs} />
      </Form>
    </div>
  );
}

function useSaveTool(organizationId: string, workflowId: string) {
  const queryClient = useQueryClient();
  return async (change: { tool: WorkflowTool | null; description?: string }): Promise<void> => {
    const saved = await changeWorkflow(organizationId, workflowId, change);
    const key = workflowQuery(organizationId, workflowId).queryKey;
    queryClient.setQueryData(
      key,
      (before) => before && { ...before, tool: saved.tool, description: saved.description },
    );
    void queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] });
  };
}
