import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { type ToolInput, toolInputTypes, type Workflow } from "../../../src/workflows/wire.ts";
import { changeWorkflow, workflowQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { ToolButton } from "../flow/tool-button.tsx";

type ToolPanelProps = { organizationId: string; workflow: Workflow; readOnly: boolean };

/** How the workflow is offered to clients as a tool: its name and what they fill in. */
export function ToolPanel({ organizationId, workflow, readOnly }: ToolPanelProps) {
  const save = useSave(organizationId, workflow.id);
  const [inputs, setInputs] = useState<readonly ToolInput[]>(workflow.tool?.inputs ?? []);
  const stop = useMutation({ mutationFn: () => save(null) });
  if (readOnly)
    return (
      <p className="text-sm">
        {workflow.tool ? `It is offered as ${workflow.tool.name}.` : "It is not offered as a tool."}
      </p>
    );
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="text-sm text-muted">
        Claude, Cursor and other clients of this organization find it among the tools of <em>Workflows</em>. What they
        fill in is <code className="font-mono text-xs">$trigger.payload</code>, and what the workflow ends with is the
        answer. Its description tells them what it is for.
      </p>
      {!workflow.isActive && (
        <Notice kind="hint">
          Clients see it once the workflow is published and on: the tool runs what is published.
        </Notice>
      )}
      <Form
        wide
        submit={workflow.tool ? "Save" : "Offer as a tool"}
        done="Saved."
        send={async (field) => {
          await save({ name: field("tool/name"), inputs: [...inputs] });
        }}
      >
        <TextField
          label="Name"
          name="tool/name"
          defaultValue={workflow.tool?.name ?? toToolName(workflow.name)}
          maxLength={64}
          autoComplete="off"
          hint="Lower-case letters, digits and underscores, at most 64."
        />
        <Inputs inputs={inputs} onChange={setInputs} />
      </Form>
      {workflow.tool && (
        <Button className="justify-self-start" busy={stop.isPending} onClick={() => stop.mutate()}>
          Stop offering it
        </Button>
      )}
      {stop.isError && <ProblemNotice error={stop.error} />}
    </div>
  );
}

function useSave(organizationId: string, workflowId: string) {
  const queryClient = useQueryClient();
  return async (tool: Workflow["tool"]): Promise<void> => {
    await changeWorkflow(organizationId, workflowId, { tool });
    const { queryKey } = workflowQuery(organizationId, workflowId);
    queryClient.setQueryData(queryKey, (before) => before && { ...before, tool });
  };
}

const toToolName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 64) || "workflow";

type InputsProps = { inputs: readonly ToolInput[]; onChange: (inputs: readonly ToolInput[]) => void };

const mostInputs = 50;

function Inputs({ inputs, onChange }: InputsProps) {
  const add = () => onChange([...inputs, { name: "", type: "string", description: "", required: true }]);
  const change = (index: number, input: ToolInput) => onChange(inputs.with(index, input));
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 text-sm font-medium">What clients fill in</legend>
      {inputs.map((input, index) => (
        <InputRow
          // biome-ignore lint/suspicious/noArrayIndexKey: an input has no other name than the one that is being typed.
          key={index}
          number={index + 1}
          input={input}
          onChange={(next) => change(index, next)}
          onRemove={() => onChange(inputs.toSpliced(index, 1))}
        />
      ))}
      <Button className="justify-self-start" disabled={inputs.length >= mostInputs} onClick={add}>
        <Plus className="size-4" aria-hidden="true" />
        Add an input
      </Button>
    </fieldset>
  );
}

type InputRowProps = {
  number: number;
  input: ToolInput;
  onChange: (input: ToolInput) => void;
  onRemove: () => void;
};

function InputRow({ number, input, onChange, onRemove }: InputRowProps) {
  const id = useId();
  return (
    <div className="grid gap-2 rounded-lg border border-line p-3">
      <div className="flex gap-2">
        <input
          aria-label={`Name of input ${number}`}
          placeholder="order_id"
          value={input.name}
          required
          maxLength={64}
          autoComplete="off"
          onChange={(event) => onChange({ ...input, name: event.target.value })}
          className={controlLook}
        />
        <select
          aria-label={`Type of input ${number}`}
          value={input.type}
          onChange={({ target }) =>
            onChange({ ...input, type: toolInputTypes.find((type) => type === target.value) ?? "string" })
          }
          className={`${controlLook} w-32! shrink-0`}
        >
          {toolInputTypes.map((type) => (
            <option key={type} value={type}>
              {typeWords[type]}
            </option>
          ))}
        </select>
        <ToolButton label={`Remove input ${number}`} onClick={onRemove}>
          <Trash2 className="size-4" aria-hidden="true" />
        </ToolButton>
      </div>
      <input
        aria-label={`Description of input ${number}`}
        placeholder="What it is, for whoever fills it in"
        value={input.description}
        maxLength={1000}
        onChange={(event) => onChange({ ...input, description: event.target.value })}
        className={controlLook}
      />
      <label htmlFor={id} className="flex items-center gap-2 text-sm">
        <input
          id={id}
          type="checkbox"
          checked={input.required}
          onChange={(event) => onChange({ ...input, required: event.target.checked })}
          className="size-4 accent-accent"
        />
        It must be filled in
      </label>
    </div>
  );
}

const typeWords: Record<ToolInput["type"], string> = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  object: "Object",
  array: "List",
};
