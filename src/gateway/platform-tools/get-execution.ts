import { z } from "zod";
import type { RunList } from "../../runs/read/run-list.ts";
import { nodeStatus } from "../../runs/wire.ts";
import { definePlatformTool, failure, id, instant, reads } from "./define-platform-tool.ts";
import { execution } from "./list-executions.ts";

const nodeRun = z.object({
  id: z.string().describe("The node's id on the canvas."),
  nodeId: z.string().describe("The node's type."),
  status: nodeStatus,
  outputs: z.array(z.record(z.string(), z.unknown())).nullable(),
  leftOutBytes: z
    .int()
    .min(0)
    .describe(
      "Above 0 when the outputs are left out, because the run is too large to be read at once: about so many bytes. GET /task-runner/executions/{executionId}/nodes/{id} answers this node alone.",
    ),
  error: failure.nullable(),
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
});

export const createGetExecution = (runs: Pick<RunList, "get">) =>
  definePlatformTool({
    id: "platform_get_execution",
    title: "Get a workflow run",
    description:
      "One workflow run with the status, outputs and error of each of its nodes. Of a large run some outputs are left out; leftOutBytes says which.",
    scope: "platform:read",
    hints: reads,
    input: z.strictObject({ executionId: id.describe("From platform_list_executions.") }),
    output: z.object({ execution: execution.extend({ nodes: z.array(nodeRun) }) }),
    run: async ({ input, organizationId }) => ({ execution: await runs.get(organizationId, input.executionId) }),
  });
