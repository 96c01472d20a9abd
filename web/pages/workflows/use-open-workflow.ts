import { useNavigate } from "@tanstack/react-router";

/** Goes to the editor of a workflow. */
export function useOpenWorkflow(organizationId: string): (workflowId: string) => void {
  const navigate = useNavigate();
  return (workflowId) =>
    void navigate({ to: "/o/$organizationId/workflows/$workflowId", params: { organizationId, workflowId } });
}
