import { queryOptions } from "@tanstack/react-query";
import type { WorkflowDefaults } from "../../src/workflows/error-wire.ts";
import { get, path, put } from "../request.ts";

const base = (organizationId: string) => path`/api/organizations/${organizationId}/workflow-defaults`;

/** What holds for all workflows that say nothing else. */
export const workflowDefaultsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "workflow-defaults"],
    queryFn: () => get<WorkflowDefaults>(base(organizationId)),
  });

export const putWorkflowDefaults = (organizationId: string, body: WorkflowDefaults) =>
  put<WorkflowDefaults>(base(organizationId), body);
