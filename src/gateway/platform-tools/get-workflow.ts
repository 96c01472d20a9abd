import { z } from "zod";
import type { CanvasEdge, CanvasNode } from "../../workflows/wire.ts";
import type { Workflows } from "../../workflows/workflows.ts";
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
  way: z.string().optional().describe("Which way out of the source, where it has several."),
});

export const createGetWorkflow = (workflows: Pick<Workflows, "get">) =>
  definePlatformTool({
    id: "platform_get_workflow",
    title: "Get a workflow",
    description: "One workflow with the nodes on its canvas and how they are connected.",
    scope: "platform:read",
    hints: reads,
    input: z.strictObject({ workflowId: id.describe("From platform_list_workflows.") }),
    output: z.object({ workflow: workflowSummary.extend({ nodes: z.array(canvasNode), edges: z.array(edge) }) }),
    run: async ({ input, organizationId }) => {
      const { canvas, ...summary } = await workflows.get(organizationId, input.workflowId);
      return { workflow: { ...summary, nodes: canvas.nodes.map(describeNode), edges: canvas.edges.map(describeEdge) } };
    },
  });

const describeNode = ({ id, nodeId, name, parameters = {}, credentials = {}, instruction }: CanvasNode) => ({
  id,
  nodeId,
  name: name ?? id,
  parameters,
  credentials,
  ...(instruction === undefined ? {} : { instruction }),
});

const describeEdge = ({ source, sourceHandle, target }: CanvasEdge) => ({
  source,
  target,
  ...(sourceHandle ? { way: sourceHandle } : {}),
});
