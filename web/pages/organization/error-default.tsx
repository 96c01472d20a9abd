import { useQuery, useQueryClient } from "@tanstack/react-query";
import { putWorkflowDefaults, workflowDefaultsQuery } from "../../api/workflow-defaults.ts";
import { allWorkflowsQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type MyOrganization, managesMembers } from "../../session.ts";

const description =
  "Started when a published run fails, with what failed and why in $trigger.payload. A workflow can name another one in its own settings.";

/** The workflow that is told of failures of all others. */
export function ErrorDefault({ organization: { id: organizationId, role } }: { organization: MyOrganization }) {
  const queryClient = useQueryClient();
  const { data: defaults, ...ofDefaults } = useQuery(workflowDefaultsQuery(organizationId));
  const { data: workflows, ...ofWorkflows } = useQuery(allWorkflowsQuery(organizationId));
  const problem = ofDefaults.error ?? ofWorkflows.error;
  const tryAgain = () => void Promise.all([ofDefaults.refetch(), ofWorkflows.refetch()]);
  if (!defaults || !workflows)
    return (
      <Card title="Error workflow" description={description}>
        {problem && <ProblemNotice error={problem} action={<Button onClick={tryAgain}>Try again</Button>} />}
      </Card>
    );
  const chosen = workflows.find(({ id }) => id === defaults.errorWorkflowId);
  if (!managesMembers(role))
    return (
      <Card title="Error workflow" description={`${description} Owners and admins choose it.`}>
        <p className="wrap-anywhere">{chosen?.name ?? "None"}</p>
      </Card>
    );
  return (
    <Card title="Error workflow" description={description}>
      <Form
        submit="Save"
        done="The error workflow is saved."
        send={async (field) => {
          await putWorkflowDefaults(organizationId, { errorWorkflowId: field("errorWorkflowId") || null });
          await queryClient.invalidateQueries(workflowDefaultsQuery(organizationId));
        }}
      >
        <Field
          label="When a run fails, start"
          name="errorWorkflowId"
          control={(control) => (
            <select {...control} defaultValue={chosen?.id ?? ""}>
              <option value="">Nothing</option>
              {workflows.map(({ id, name, isActive }) => (
                <option key={id} value={id}>
                  {isActive ? name : `${name} (turned off)`}
                </option>
              ))}
            </select>
          )}
        />
      </Form>
    </Card>
  );
}
