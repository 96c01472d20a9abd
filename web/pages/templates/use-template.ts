import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { credentialsQuery } from "../../api/credentials.ts";
import { importWorkflow, workflowsKey } from "../../api/workflows.ts";
import { startCredentials } from "../../canvas/edit/start-credentials.ts";
import type { NodeKind } from "../../catalog.ts";
import { useOpenWorkflow } from "../workflows/use-open-workflow.ts";
import type { Template } from "./templates.ts";

/** Makes a draft of a template and opens it. A node whose service has only one account begins with that. */
export function useTemplate(organizationId: string, { canvas, file }: Template, kinds: ReadonlyMap<string, NodeKind>) {
  const queryClient = useQueryClient();
  const open = useOpenWorkflow(organizationId);
  const accounts = useQuery(credentialsQuery(organizationId)).data;
  return useMutation({
    mutationFn: () => {
      const nodes = canvas.nodes.map((node) => {
        const kind = kinds.get(node.nodeId);
        return { ...node, ...(kind && startCredentials(kind, accounts)) };
      });
      return importWorkflow(organizationId, { ...file, canvas: { ...canvas, nodes } });
    },
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: workflowsKey(organizationId) });
      open(id);
    },
  });
}
