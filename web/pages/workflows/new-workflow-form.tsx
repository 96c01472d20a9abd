import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { createWorkflow, workflowsKey } from "../../api/workflows.ts";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import type { MyOrganization } from "../../session.ts";
import { useOpenWorkflow } from "./use-open-workflow.ts";

/** A blank canvas with a name, or the way to the templates. */
export function NewWorkflowForm({ organization }: { organization: MyOrganization }) {
  const queryClient = useQueryClient();
  const openWorkflow = useOpenWorkflow(organization.id);

  async function create(name: string): Promise<void> {
    const saved = await createWorkflow(organization.id, { name, canvas: { nodes: [], edges: [] } });
    void queryClient.invalidateQueries({ queryKey: workflowsKey(organization.id) });
    openWorkflow(saved.id);
  }

  return (
    <div className="grid gap-4">
      <Form submit="Create" send={(field) => create(field("name"))}>
        <TextField label="Name" name="name" maxLength={200} autoComplete="off" />
      </Form>
      <p className="text-sm text-muted">
        Rather begin with something that works?{" "}
        <Link
          to="/o/$organizationId/workflows/templates"
          params={{ organizationId: organization.id }}
          className="text-accent underline underline-offset-4"
        >
          Choose a template
        </Link>
      </p>
    </div>
  );
}
