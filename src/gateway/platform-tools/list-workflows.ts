import { z } from "zod";
import type { Workflows } from "../../workflows/workflows.ts";
import { definePlatformTool, id, instant, nextCursor, placeInput, reads, total } from "./define-platform-tool.ts";

export const workflowSummary = z.object({
  id,
  name: z.string(),
  description: z.string(),
  nodeCount: z.int().min(0),
  createdAt: instant,
  updatedAt: instant,
});

export const createListWorkflows = (workflows: Pick<Workflows, "page">) =>
  definePlatformTool({
    id: "platform_list_workflows",
    title: "List workflows",
    description: "The organization's workflows, most recently changed first.",
    scope: "platform:read",
    hints: reads,
    input: placeInput,
    output: z.object({ total, nextCursor, workflows: z.array(workflowSummary) }),
    run: async ({ input, organizationId }) => {
      const { data, total: all, nextCursor: next } = await workflows.page(organizationId, input);
      return { total: all, nextCursor: next, workflows: data };
    },
  });
