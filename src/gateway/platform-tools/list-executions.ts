import { z } from "zod";
import type { RunList } from "../../runs/read/run-list.ts";
import { runKind, runStatus } from "../../runs/wire.ts";
import {
  cursorInput,
  definePlatformTool,
  failure,
  id,
  instant,
  nextCursor,
  reads,
  totalSoFar,
} from "./define-platform-tool.ts";

export const execution = z.object({
  id,
  workflowId: id,
  workflowName: z.string(),
  executionType: runKind.describe("What started it."),
  status: runStatus,
  error: failure.nullable(),
  createdAt: instant,
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  durationMs: z.int().min(0).nullable(),
});

export const createListExecutions = (runs: Pick<RunList, "page">) =>
  definePlatformTool({
    id: "platform_list_executions",
    title: "List workflow runs",
    description: "Workflow runs, newest first. A search looks at the newest 100,000.",
    scope: "platform:read",
    hints: reads,
    input: cursorInput,
    output: z.object({ total: totalSoFar, nextCursor, executions: z.array(execution) }),
    run: async ({ input, organizationId }) => {
      const { total: all, entries, nextCursor: next } = await runs.page(organizationId, input);
      return { total: all, nextCursor: next, executions: entries };
    },
  });
