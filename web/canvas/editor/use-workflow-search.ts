import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type WorkflowSearch = {
  node?: string;
  panel?: string;
  run?: string;
  field?: string;
  from?: string;
  to?: string;
};
type Change = { [name in keyof WorkflowSearch]: WorkflowSearch[name] | undefined };

/** What is open beside the canvas stands in the address. `show` changes it without another step to go back. */
export function useWorkflowSearch(): { search: WorkflowSearch; show: (change: Change) => void } {
  const search = useSearch({ from: "/signed-in/o/$organizationId/workflows/$workflowId" });
  const navigate = useNavigate();
  const show = useCallback(
    (change: Change) =>
      void navigate({
        from: "/o/$organizationId/workflows/$workflowId",
        to: ".",
        search: (before: WorkflowSearch) =>
          Object.fromEntries(
            Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined),
          ) as WorkflowSearch,
        replace: true,
      }),
    [navigate],
  );
  return { search, show };
}
