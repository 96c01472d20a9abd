import { z } from "zod";
import { endSentence } from "../base/end-sentence.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { RecordedSteps } from "../calls/recorded-call.ts";
import { readInput } from "../catalog/catalog.ts";
import { toJsonSchema } from "../catalog/json-schema.ts";
import { toAnnotations } from "../catalog/mcp-tool.ts";
import type { Runs } from "../runs/runs.ts";
import type { ToolInput } from "../workflows/wire.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { describeCall } from "./call-tool.ts";
import { createMcp } from "./mcp.ts";
import type { CallTool, McpToolCall } from "./mcp-call.ts";
import type { Mount } from "./mcp-routes.ts";
import { createMcpServer } from "./mcp-server.ts";
import { readPlatformIcon } from "./platform-icon.ts";

type Options = {
  workflows: Pick<Workflows, "listTools">;
  runs: Pick<Runs, "startRun" | "waitForEnd">;
  steps: RecordedSteps;
  version: string;
  /** How long a call waits for its run. */
  limitMs: number;
};

type OfferedWorkflow = Awaited<ReturnType<Options["workflows"]["listTools"]>>[number];
type WorkflowTarget = { workflowId: string; input: z.ZodObject };

export const workflowServerId = "workflows";
const mostKept = 100;

/** A server of each organization's own: the workflows it offers as tools. It is in no public list, because nobody else may know of them. */
export function createWorkflowMount(options: Options): Mount {
  const callTool = createCallWorkflow(options);
  const icon = readPlatformIcon();
  const compile = (offered: OfferedWorkflow[]) =>
    createMcpServer<WorkflowTarget>({
      id: workflowServerId,
      title: "Workflows",
      description: "The workflows this organization offers as tools.",
      instructions:
        "Each tool runs one workflow of the organization and returns what came out, or the id of the run when it takes longer.",
      version: options.version,
      icon,
      scopes: ["mcp:invoke"],
      acceptsApiKeys: true,
      acceptsTokens: false,
      isShared: false,
      tools: offered.map(toTool),
    });

  return {
    server: compile([]),
    open(context) {
      const kept = new Map<string, { text: string; mcp: ReturnType<typeof createMcp> }>();
      return {
        async answer(request) {
          const { organizationId } = request.caller;
          const offered = await options.workflows.listTools(organizationId);
          const text = JSON.stringify(offered);
          const known = kept.get(organizationId);
          if (known?.text === text) return await known.mcp.answer(request);
          const mcp = createMcp({ server: compile(offered), callTool, ...context });
          kept.delete(organizationId);
          if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string);
          kept.set(organizationId, { text, mcp });
          return await mcp.answer(request);
        },
      };
    },
  };
}

const output = z.object({
  runId: z.uuid(),
  status: z.enum(["pending", "succeeded"]).describe("`pending`: the run goes on; ask for it later."),
  items: z.array(z.record(z.string(), z.unknown())).describe("What came out of the workflow."),
});
const outputSchema = toJsonSchema(output, "output");

function toTool({ id, name, description, tool }: OfferedWorkflow) {
  const input = toInput(tool.inputs);
  return {
    name: tool.name,
    title: name,
    description: description || `Runs the workflow ${name}.`,
    inputSchema: toJsonSchema(input, "input"),
    outputSchema,
    annotations: toAnnotations(name, { readOnly: false, destructive: true, idempotent: false, openWorld: true }),
    credentials: [],
    scope: "mcp:invoke",
    target: { workflowId: id, input },
  };
}

const types: Record<ToolInput["type"], () => z.ZodType> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  object: () => z.record(z.string(), z.unknown()),
  array: () => z.array(z.unknown()),
};

function toInput(inputs: ToolInput[]): z.ZodObject {
  const fields = inputs.map(({ name, type, description, required }) => {
    const field = types[type]().describe(description);
    return [name, required ? field : field.optional()] as const;
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** It takes no slot of its own: its run does, and with one slot both would wait for ever. */
function createCallWorkflow({ runs, steps: { orRefused, run }, limitMs }: Options): CallTool<WorkflowTarget> {
  return async (call) => {
    const { tool, arguments: parameters, fault } = call;
    const record = describeCall(call, { id: newId(), source: "mcp", parameters });
    const input = await orRefused(record, async () => {
      if (fault) throw fault;
      return readInput(tool.target, parameters);
    });
    return { output: await run(record, () => follow(call, input)), recordId: record.id };
  };

  async function follow(
    { tool, caller, signal, requestId, trace }: McpToolCall<WorkflowTarget>,
    input: Record<string, unknown>,
  ) {
    const { organizationId } = caller;
    const prompt = typeof input.prompt === "string" ? input.prompt : "";
    const { id } = await runs.startRun({
      organizationId,
      workflowId: tool.target.workflowId,
      kind: "tool",
      requestId,
      trace,
      ...describeCaller(caller),
      trigger: { source: "tool", sender: { tool: tool.name }, prompt, payload: input },
    });
    const ended = await runs.waitForEnd(organizationId, id, { limitMs, signal, isFresh: true });
    signal.throwIfAborted();
    if (!ended) return { runId: id, status: "pending" as const, items: [] };
    if (ended.status === "succeeded") return { runId: id, status: ended.status, items: ended.result ?? [] };
    if (ended.status === "cancelled") throw new Refusal("workflow_failed", `The run ${id} was cancelled.`);
    throw new Refusal(
      "workflow_failed",
      endSentence(`The run ${id} failed${ended.error ? `: ${ended.error.message}` : ""}`),
    );
  }
}

const describeCaller = (caller: McpToolCall<WorkflowTarget>["caller"]) =>
  "apiKey" in caller
    ? { apiKey: caller.apiKey }
    : {
        user: { id: caller.connection.userId, name: caller.connection.userName },
        oauthClient: { id: caller.connection.clientId, name: caller.connection.clientName },
      };
