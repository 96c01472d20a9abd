import { z } from "zod";
import { variableValue } from "../workflows/variable-wire.ts";
import { canvasAsSaved, canvasId, canvasToCheck, nodeOverride, runStatus } from "../workflows/wire.ts";

export { runStatus } from "../workflows/wire.ts";

// Runs of workflows, as their history shows them.

export const runKind = z.enum([
  "manual",
  "api",
  "schedule",
  "webhook",
  "poll",
  "workflow",
  "tool",
  "editor",
  "step",
  "error",
]);
export const nodeStatus = z.enum(["pending", "running", "retrying", "succeeded", "failed", "skipped", "cancelled"]);
const instant = z.iso.datetime();
const failure = z.object({ code: z.string(), message: z.string() });

export const runEntry = z
  .object({
    id: z.uuid(),
    workflowId: z.uuid(),
    workflowName: z.string(),
    workflowVersion: z.int().describe("0: a run of the editor, which follows a canvas of its own."),
    workflowDeleted: z.boolean(),
    executionType: runKind.describe("What started it."),
    status: runStatus,
    error: failure.extend({ nodeId: z.string().nullable().describe("Canvas id of the node that failed.") }).nullable(),
    triggerId: z.uuid().nullable(),
    apiKeyId: z.uuid().nullable(),
    apiKeyName: z.string().nullable(),
    apiKeyDeleted: z.boolean().describe("The key that started the run does not exist any more."),
    userId: z.uuid().nullable(),
    userName: z.string().nullable(),
    oauthClientId: z.string().nullable(),
    oauthClientName: z.string().nullable(),
    rerunOf: z.uuid().nullable(),
    parentRunId: z.uuid().nullable(),
    createdAt: instant,
    startedAt: instant.nullable(),
    wakeAt: instant.nullable().describe("When a waiting run goes on."),
    completedAt: instant.nullable(),
    durationMs: z.int().nullable().describe("Time spent running, without waiting."),
  })
  .meta({ id: "Run" });
export type RunEntry = z.infer<typeof runEntry>;

export const runNode = z.object({
  id: canvasId.describe("The node's id on the canvas."),
  nodeId: z.string().describe("The node's type."),
  status: nodeStatus,
  attempts: z.int(),
  input: z.unknown().describe("The parameters of each execution, after references were resolved."),
  outputs: z.array(z.record(z.string(), z.unknown())).nullable(),
  ways: z.record(z.string(), z.int()).describe("How many items left the node on which way."),
  items: z
    .object({ done: z.int(), total: z.int() })
    .nullable()
    .describe("How many of its items the node is done with; null where it takes them all at once, or has not begun."),
  filled: z.unknown().describe("Parameters that a model filled in."),
  leftOutBytes: z
    .int()
    .min(0)
    .describe(
      "Above 0 when input, outputs and filled are left out, because the run is too large to be read at once: read this node alone.",
    ),
  error: failure.nullable(),
  takenFrom: z
    .string()
    .nullable()
    .describe(
      "Where its outputs come from although it was not executed in this run: `pinned`, or the id of the run that executed it.",
    ),
  note: z
    .string()
    .nullable()
    .describe("What is worth knowing although nothing failed, for instance where the items of a disabled node went."),
  wakeAt: instant.nullable(),
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  durationMs: z.int().nullable(),
});
export type RunNode = z.infer<typeof runNode>;

export const triggerData = z.object({
  source: z.string(),
  sender: z.unknown(),
  prompt: z.string(),
  payload: z.unknown(),
  event: z.string().nullable().optional().describe("What the provider of a webhook calls that which happened."),
  method: z.string().optional().describe("Of a delivery to a webhook."),
  query: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional().describe("Without those that prove who somebody is."),
});
const items = z.array(z.record(z.string(), z.unknown()));

export const run = runEntry
  .extend({
    trigger: triggerData,
    overrides: z.array(nodeOverride),
    traceId: z
      .string()
      .nullable()
      .describe("The trace of what started it; null for runs from before there were traces."),
    nodes: z.array(runNode),
    canvas: canvasAsSaved
      .nullable()
      .describe("The one it follows, for runs of the editor; null: a version of the workflow."),
    variables: z
      .record(z.string(), variableValue)
      .nullable()
      .describe("`$vars` of this run: what it names, as it was when the run began; null where it names none."),
    result: z
      .array(z.record(z.string(), z.unknown()))
      .nullable()
      .describe(
        "What came out of the nodes that nothing follows; null until the run has succeeded, and when one of them is left out.",
      ),
  })
  .meta({ id: "RunDetail" });
export type Run = z.infer<typeof run>;

export const runFilter = z.object({
  workflowId: z.uuid().optional(),
  status: runStatus.optional(),
  executionType: runKind.optional(),
  parentRunId: z.uuid().optional().describe("Only those that this run started."),
  apiKeyId: z.uuid().optional(),
  from: instant.optional(),
  to: instant.optional(),
  search: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Only runs whose workflow's name or error contains this text."),
});

export const runQuery = runFilter.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(100).optional(),
});
export type RunQuery = z.infer<typeof runQuery>;

export const runList = z.object({
  data: z.array(runEntry),
  nextCursor: z.string().nullable(),
  searchedBackTo: instant
    .nullable()
    .describe(
      "Not null when only a part could be looked through: older runs than this follow on the next page, even if this one is empty.",
    ),
});
export type RunsPage = z.infer<typeof runList>;

const payload = z.unknown().describe("$trigger.payload");

export const triggerBody = z
  .object({
    runtimePrompt: z.string().max(1_000_000).nullish().describe("Readable by every node as $trigger.prompt."),
    nodes: z.array(nodeOverride).max(500).nullish().describe("What nodes have otherwise in this run only."),
  })
  .nullish();

export const startBody = z
  .strictObject({
    prompt: z.string().max(1_000_000).optional(),
    payload: payload.optional(),
    nodes: z.array(nodeOverride).max(500).optional(),
  })
  .nullish();

export const allowRepeat = z
  .boolean()
  .describe(
    "In runs of the editor: nodes that change something outside may do so again, though they did in this draft.",
  );

export const rerunBody = z
  .strictObject({
    version: z
      .enum(["same", "current", "draft"])
      .default("same")
      .describe("What the run had, the published version of now, or the draft."),
    from: z
      .enum(["start", "failure", "node"])
      .default("start")
      .describe(
        "Where it begins: at the start, at what failed, or at the node `nodeId`. What was finished and does not come after that is reused.",
      ),
    nodeId: canvasId.optional().describe("Canvas id of the node where it begins; with `from: node`."),
    allowRepeat: allowRepeat.optional(),
    prompt: z.string().max(1_000_000).optional(),
    payload: payload.optional(),
    nodes: z.array(nodeOverride).max(500).optional(),
  })
  .refine(({ from, nodeId }) => from !== "node" || nodeId !== undefined, {
    path: ["nodeId"],
    message: "is required to run again from a node",
  })
  .refine(({ from, nodeId }) => from === "node" || nodeId === undefined, {
    path: ["nodeId"],
    message: "is only for running again from a node",
  })
  .refine(({ version, nodes }) => version !== "draft" || nodes === undefined, {
    path: ["nodes"],
    message: "cannot be given for the draft: change the draft instead",
  })
  .nullish();

export const acceptedRun = z
  .object({
    id: z.uuid(),
    status: z.literal("pending"),
    workflowId: z.uuid(),
    createdAt: instant,
    links: z.object({ self: z.string(), ui: z.string() }),
  })
  .meta({ id: "AcceptedRun" });

const exampleRun = z
  .uuid()
  .optional()
  .describe("The run whose data is taken; otherwise the last one of the workflow that has any.");
const usedRun = z.uuid().nullable().describe("The run whose data was taken; null when there was none.");

export const previewScopeQuery = z.object({ runId: exampleRun });
export const previewScope = z
  .object({
    runId: usedRun,
    trigger: triggerData.nullable(),
    nodes: z.record(z.string(), items).describe("By canvas id: the first three items that came out of the node."),
    truncated: z
      .record(z.string(), z.literal(true))
      .describe("Canvas ids of nodes with so much data that their items were cut."),
    vars: z.record(z.string(), variableValue).describe("Variables of the organization, as they are now."),
  })
  .meta({ id: "PreviewScope" });
export type PreviewScope = z.infer<typeof previewScope>;

const editedNode = canvasToCheck.extend({
  nodeId: canvasId.describe("The node whose parameter it is."),
  runId: exampleRun,
});

export const valuePreviewRequest = editedNode.extend({
  value: z.unknown().optional().describe("A parameter as the author wrote it, references and all."),
  expression: z
    .boolean()
    .default(false)
    .describe("Whether it is an expression as it stands, as in fields with `expression: true`."),
});
export type ValuePreviewRequest = z.infer<typeof valuePreviewRequest>;
export const valuePreview = z
  .object({
    runId: usedRun,
    result: z.union([z.strictObject({ value: z.unknown() }), z.strictObject({ error: z.string() })]),
  })
  .meta({ id: "ValuePreview" });
export type ValuePreview = z.infer<typeof valuePreview>;

/** How long the preview of what a model fills waits for the model. */
export const fillPreviewLimitSeconds = 30;

export const fillPreviewRequest = editedNode.extend({
  instruction: z.string().max(20_000).optional().describe("Instead of the one on the canvas."),
});
export type FillPreviewRequest = z.infer<typeof fillPreviewRequest>;
export const fillPreview = z
  .object({ filled: z.record(z.string(), z.unknown()), model: z.string() })
  .meta({ id: "FillPreview" });
export type FillPreview = z.infer<typeof fillPreview>;

export const runStartsQuery = z.object({ since: instant.describe("Such as the beginning of the day.") });

export const runStarts = z
  .object({
    data: z.array(
      z.object({
        executionType: runKind,
        triggerId: z.uuid().nullable(),
        count: z.int().describe("How many runs it started."),
      }),
    ),
    isMore: z.boolean().describe("Whether only the newest 1,000 runs are counted."),
  })
  .meta({ id: "RunStarts" });
export type RunStarts = z.infer<typeof runStarts>;
