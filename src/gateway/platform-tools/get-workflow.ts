import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { definePlatformTool, id, reads } from "./define-platform-tool.ts";
import { workflowSummary } from "./list-workflows.ts";

const canvasNode = z.object({
  id: z.string().describe("The node's id on the canvas."),
  nodeId: z.string().describe("The node's type: the name of a tool, or of a built-in node."),
  name: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  credentials: z.record(z.string(), z.string()).describe("Credential type to credential reference."),
  instruction: z.string().optional(),
});

const edge = z.object({
  source: z.string(),
  target: z.string(),
  branch: z.enum(["true", "false"]).optional().describe("Which way out of a condition."),
});

export const createGetWorkflow = () =>
  definePlatformTool({
    id: "platform_get_workflow",
    title: "Get a workflow",
    description: "One workflow with the nodes on its canvas and how they are connected.",
    scope: "platform:read",
    hints: reads,
    input: z.strictObject({ workflowId: id.describe("From platform_list_workflows.") }),
    output: z.object({ workflow: workflowSummary.extend({ nodes: z.array(canvasNode), edges: z.array(edge) }) }),
    run: async () => {
      throw new Refusal("workflow_not_found", "There is no such workflow in this organization.");
    },
  });
