import { useQuery, useQueryClient } from "@tanstack/react-query";
import { workflowDefaultsQuery } from "../../api/workflow-defaults.ts";
import { allWorkflowsQuery, changeWorkflow, workflowQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Editor } from "./use-editor.ts";

type ErrorWorkflowDialogProps = { editor: Editor; onClose: () => void };

/** Which workflow is started when a run of this one fails. It counts at once: it is no part of the draft. */
export function ErrorWorkflowDialog({ editor: { organizationId, workflow }, onClose }: ErrorWorkflowDialogProps) {
  const queryClient = useQueryClient();
  const { data: defaults, ...ofDefaults } = useQuery(workflowDefaultsQuery(organizationId));
  const { data: workflows, ...ofWorkflows } = useQuery(allWorkflowsQuery(organizationId));
  const problem = ofDefaults.error ?? ofWorkflows.error;
  const tryAgain = () => void Promise.all([ofDefaults.refetch(), ofWorkflows.refetch()]);
  const usual = workflows?.find(({ id }) => id === defaults?.errorWorkflowId)?.name ?? "none";
  const others = workflows?.filter(({ id }) => id !== workflow.id) ?? [];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Error workflow"
      description="Started when a published run of this workflow fails, with what failed and why in $trigger.payload. Steps and runs of the editor start nothing. It counts at once."
    >
      {problem && <ProblemNotice error={problem} action={<Button onClick={tryAgain}>Try again</Button>} />}
      {defaults && workflows && (
        <Form
          wide
          submit="Save"
          send={async (field) => {
            await changeWorkflow(organizationId, workflow.id, { errorWorkflow: field("errorWorkflow") });
            await queryClient.invalidateQueries(workflowQuery(organizationId, workflow.id));
            onClose();
          }}
        >
          <Field
            label="When a run fails, start"
            name="errorWorkflow"
            control={(control) => (
              <select {...control} defaultValue={workflow.errorWorkflow}>
                <option value="default">{`The organization's: ${usual}`}</option>
                <option value="none">Nothing</option>
                {others.map(({ id, name, isActive }) => (
                  <option key={id} value={id}>
                    {isActive ? name : `${name} (turned off)`}
                  </option>
                ))}
              </select>
            )}
          />
        </Form>
      )}
      {!problem && !(defaults && workflows) && (
        <Loading what="the workflows">
          <Skeleton className="h-24" />
        </Loading>
      )}
    </Dialog>
  );
}
