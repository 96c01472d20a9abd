import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { allWorkflowsQuery } from "../../api/workflows.ts";
import { Field } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";

type WorkflowFieldProps = { organizationId: string; value: string; onChange: (workflowId: string) => void };

/** Which workflow it starts. */
export function WorkflowField({ organizationId, value, onChange }: WorkflowFieldProps) {
  const workflows = useQuery(allWorkflowsQuery(organizationId)).data;
  if (workflows?.length === 0)
    return (
      <Notice kind="hint">
        There is no workflow to start yet.{" "}
        <Link
          to="/o/$organizationId/workflows/templates"
          params={{ organizationId }}
          search={{ template: "first-run" }}
          className="text-accent underline underline-offset-4"
        >
          Create one
        </Link>
      </Notice>
    );
  return (
    <Field
      label="Workflow"
      name="workflowId"
      control={(control) => (
        <select {...control} required value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="" disabled>
            Choose a workflow
          </option>
          {workflows?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    />
  );
}
