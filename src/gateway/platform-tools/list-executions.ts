import { z } from "zod";
import { definePlatformTool, failure, id, instant, pageInput, reads, total } from "./define-platform-tool.ts";

export const execution = z.object({
  id,
  workflowId: id,
  workflowName: z.string(),
  executionType: z.enum(["manual", "api", "schedule", "webhook"]),
  status: z.enum(["pending", "running", "waiting", "succeeded", "failed", "cancelled"]),
  error: failure.nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  durationMs: z.int().min(0).nullable(),
});

export const createListExecutions = () =>
  definePlatformTool({
    id: "platform_list_executions",
    title: "List workflow runs",
    description: "Workflow runs, newest first.",
    scope: "platform:read",
    hints: reads,
    input: pageInput,
    output: z.object({ total, executions: z.array(execution) }),
    // Nothing can run yet.
    run: async () => ({ total: 0, executions: [] }),
  });
