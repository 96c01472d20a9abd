import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SavedWorkflow } from "../../../src/workflows/wire.ts";
import { createWorkflow, importWorkflow, workflowsKey } from "../../api/workflows.ts";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import type { MyOrganization } from "../../session.ts";
import { ImportedWorkflow } from "./import/imported-workflow.tsx";
import { templates } from "./templates.ts";
import { useOpenWorkflow } from "./use-open-workflow.ts";

/** `initial`: the template that is chosen to begin with; anything else means none. */
export function NewWorkflowForm({ organization, initial }: { organization: MyOrganization; initial: string }) {
  const [chosenId, setChosenId] = useState(templates.find(({ id }) => id === initial)?.id ?? "blank");
  const [typedName, setTypedName] = useState<string>();
  const [created, setCreated] = useState<SavedWorkflow>();
  const queryClient = useQueryClient();
  const openWorkflow = useOpenWorkflow(organization.id);
  const template = templates.find(({ id }) => id === chosenId);

  if (created)
    return <ImportedWorkflow saved={created} canvas={template?.file.canvas} onOpen={() => openWorkflow(created.id)} />;

  async function create(name: string): Promise<void> {
    const saved = template
      ? await importWorkflow(organization.id, { ...template.file, name })
      : await createWorkflow(organization.id, { name, canvas: { nodes: [], edges: [] } });
    void queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) });
    if (saved.warnings.length > 0) setCreated(saved);
    else openWorkflow(saved.id);
  }

  return (
    <Form wide submit="Create" send={(field) => create(field("name"))}>
      <TextField
        label="Name"
        name="name"
        maxLength={200}
        autoComplete="off"
        value={typedName ?? template?.file.name ?? ""}
        onChange={(event) => setTypedName(event.target.value)}
      />
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="mb-1.5 text-sm font-medium">Begin with</legend>
        <Choice
          value="blank"
          chosen={chosenId}
          onChoose={setChosenId}
          title="A blank canvas"
          description="Add the nodes yourself."
        />
        {templates.map(({ id, needs, file }) => (
          <Choice
            key={id}
            value={id}
            chosen={chosenId}
            onChoose={setChosenId}
            title={file.name}
            description={file.description ?? ""}
            needs={needs}
          />
        ))}
      </fieldset>
    </Form>
  );
}

type ChoiceProps = {
  value: string;
  chosen: string;
  onChoose: (value: string) => void;
  title: string;
  description: string;
  needs?: string;
};

function Choice({ value, chosen, onChoose, title, description, needs }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-3 rounded-lg border border-line px-3.5 py-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft">
      <input
        type="radio"
        name="template"
        value={value}
        checked={chosen === value}
        onChange={() => onChoose(value)}
        className="mt-1 accent-accent"
      />
      <span className="grid min-w-0 gap-0.5 text-sm">
        <span className="font-medium">{title}</span>
        <span className="text-muted">{description}</span>
        {needs && <span className="text-xs text-muted">{needs}</span>}
      </span>
    </label>
  );
}
