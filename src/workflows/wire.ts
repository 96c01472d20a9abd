import { z } from "zod";

// What a workflow is made of. The web UI and the API speak of the same shapes.

/** What every object has already cannot be a name in one. */
export const isFreeName = (name: string): boolean => !(name in {});
export const notFree = "must not be a name that every object has, such as constructor";

export const canvasId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens or underscores")
  .refine(isFreeName, notFree)
  .describe("Unique on the canvas.");

const milliseconds = z.int().min(0).max(86_400_000);
export const mostItemsAtOnce = 32;

export const nodeSettings = z
  .strictObject({
    retries: z.int().min(0).max(20).describe("How often a failed node is tried again; counted for each of its items."),
    retryDelay: milliseconds.describe("Milliseconds before the first further attempt; doubled for each one after it."),
    timeout: milliseconds.min(1).describe("Milliseconds one execution of the node may take."),
    itemsAtOnce: z
      .int()
      .min(1)
      .max(mostItemsAtOnce)
      .describe("How many of its items a node works on at the same time; 1 without it."),
    continueOnError: z
      .boolean()
      .describe(
        "The run goes on when the node fails; what follows it gets {error, item} in the place of an item that failed.",
      ),
    repeatAfterInterruption: z
      .boolean()
      .describe(
        "The node is executed again although nobody knows whether it was done, after an interruption or a failure that leaves it open.",
      ),
    continueWhenEmpty: z
      .boolean()
      .describe(
        "What follows is executed with an empty list when the node gives no items, on each way that none takes; otherwise it is skipped.",
      ),
    modelMayWriteExpressions: z
      .boolean()
      .describe(
        "Where the model fills a field that is an expression, it may write one, which is evaluated; otherwise it writes values.",
      ),
    disabled: z.boolean().describe("Items pass through the node untouched, all on its first way where it has several."),
  })
  .partial();

export const canvasNode = z.strictObject({
  id: canvasId,
  nodeId: z.string().min(1).max(100).describe("The node's type: the name of a tool, or of a built-in node."),
  name: z.string().max(200).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  instruction: z
    .string()
    .max(20_000)
    .optional()
    .describe("In words: how a model fills the parameters that were left empty."),
  credentials: z
    .record(z.string(), z.string().max(200))
    .optional()
    .describe("Credential type to credential reference."),
  settings: nodeSettings.optional(),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});

export const canvasEdge = z.strictObject({
  id: canvasId,
  source: canvasId,
  sourceHandle: z.string().max(64).nullish().describe("Which way out of the source, where it has several."),
  target: canvasId,
});

export const maxNodes = 500;
export const maxEdges = 2000;
/** Values in one node: whatever is done with them is done for all of them before anybody else has a turn. */
export const maxNodeValues = 5000;
export const canvas = z.strictObject({
  nodes: z.array(canvasNode).max(maxNodes),
  edges: z.array(canvasEdge).max(maxEdges),
});

export type Canvas = z.infer<typeof canvas>;
export type CanvasNode = z.infer<typeof canvasNode>;
export type CanvasEdge = z.infer<typeof canvasEdge>;

/** What one run has otherwise than the canvas; matched on the canvas id. */
export const nodeOverride = z.object({
  id: canvasId,
  nodeId: z.string().nullish(),
  runtimeInstruction: z.string().max(20_000).nullish(),
  credentials: z.record(z.string(), z.string()).nullish(),
});
export type NodeOverride = z.infer<typeof nodeOverride>;

const { $schema: _, ...canvasSchema } = z.toJSONSchema(canvas);
// A plain record, because parsing an object puts its keys into another order, and a canvas is kept as it was sent.
const canvasAsSent = z.record(z.string(), z.unknown()).meta({ id: "Canvas", ...canvasSchema });
const canvasAsSaved = canvasAsSent as unknown as z.ZodType<Canvas>;

const id = z.uuid();
const instant = z.iso.datetime();
const name = z.string().trim().min(1).max(200);
const description = z.string().max(5000);
const version = z.int().min(1).max(2_147_483_647);

export const toolInputTypes = ["string", "number", "integer", "boolean", "object", "array"] as const;
const toolInput = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be 1 to 64 letters, digits or underscores, and begin with no digit"),
  type: z.enum(toolInputTypes),
  description: z.string().max(1000),
  required: z.boolean(),
});
export type ToolInput = z.infer<typeof toolInput>;

export const workflowTool = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,64}$/, "must be 1 to 64 lower-case letters, digits or underscores"),
    inputs: z
      .array(toolInput)
      .max(50)
      .refine(
        (inputs) => new Set(inputs.map((input) => input.name)).size === inputs.length,
        "must not have two entries of the same name",
      ),
  })
  .describe("How the workflow is offered as a tool; null: not at all.");
export type WorkflowTool = z.infer<typeof workflowTool>;

const remark = z.object({ pointer: z.string(), detail: z.string() });
const warnings = z.array(remark).describe("What does not hinder saving, but may make a run fail.");

const workflowHead = z.object({
  id,
  name: z.string(),
  description: z.string(),
  isActive: z.boolean().describe("Whether runs can be started."),
  version: version.describe("Of the canvas; raised by every change of it."),
  nodeCount: z.int(),
  nodeKinds: z.array(z.string()).describe("Types of its nodes, each once, in the order of the canvas."),
  tool: workflowTool.nullable(),
  createdBy: id.nullable().describe("A user; null for the command line, or when the account is gone."),
  createdAt: instant,
  updatedAt: instant,
});
export type WorkflowHead = z.infer<typeof workflowHead>;

export const runStatus = z.enum(["pending", "running", "waiting", "succeeded", "failed", "cancelled"]);
const lastRun = z.object({ id, status: runStatus, createdAt: instant, completedAt: instant.nullable() });
export type LastRun = z.infer<typeof lastRun>;
const triggerCount = z.object({ active: z.int(), total: z.int() });
export type TriggerCount = z.infer<typeof triggerCount>;

export const workflowSummary = workflowHead
  .extend({ lastRun: lastRun.nullable().describe("The run that was accepted last."), triggers: triggerCount })
  .meta({ id: "WorkflowSummary" });
export type WorkflowSummary = z.infer<typeof workflowSummary>;
export type WorkflowActivity = Pick<WorkflowSummary, "lastRun" | "triggers">;

export const workflow = workflowHead
  .extend({ canvasSha256: z.string(), canvas: canvasAsSaved })
  .meta({ id: "Workflow" });
export type Workflow = z.infer<typeof workflow>;

export const savedWorkflow = workflow.extend({ warnings }).meta({ id: "SavedWorkflow" });
export type SavedWorkflow = z.infer<typeof savedWorkflow>;

export const pageQuery = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const workflowQuery = pageQuery.extend({
  search: z.string().trim().max(200).optional().describe("Text in the name or the description, whatever its case."),
});
export const workflowList = z.object({
  data: z.array(workflowSummary).describe("Newest change first."),
  total: z.int(),
});

export const workflowRequest = z.object({
  name,
  description: description.optional(),
  isActive: z.boolean().optional(),
  tool: workflowTool.nullable().optional(),
  canvas: canvasAsSent,
});
export type WorkflowRequest = z.infer<typeof workflowRequest>;

export const workflowChange = z
  .object({
    name: name.optional(),
    description: description.optional(),
    isActive: z.boolean().optional(),
    tool: workflowTool.nullable().optional(),
    canvas: canvasAsSent.optional(),
    note: z.string().max(500).optional().describe("What the new version of the canvas is about."),
    expectedVersion: version.optional().describe("The version the change was made on; needed with a canvas."),
  })
  .refine(
    ({ note: _note, expectedVersion: _version, ...change }) =>
      Object.values(change).some((value) => value !== undefined),
    "needs something to change",
  )
  .refine((change) => change.canvas === undefined || change.expectedVersion !== undefined, {
    path: ["expectedVersion"],
    message: "is required with a canvas",
  });
export type WorkflowChange = z.infer<typeof workflowChange>;

export const canvasToCheck = z.object({ canvas: canvasAsSent });
export const checkResult = z
  .object({ valid: z.boolean(), errors: z.array(remark).describe("Saving is refused for these."), warnings })
  .meta({ id: "CanvasCheck" });

const versionEntry = z.object({
  version,
  note: z.string(),
  canvasSha256: z.string(),
  createdBy: id.nullable(),
  createdAt: instant,
});
export type VersionEntry = z.infer<typeof versionEntry>;
export const versionList = z.object({ data: z.array(versionEntry).describe("Newest first."), total: z.int() });
export const workflowVersion = versionEntry.extend({ canvas: canvasAsSaved }).meta({ id: "WorkflowVersion" });
export type WorkflowVersion = z.infer<typeof workflowVersion>;

const nodeChange = z.object({
  id: canvasId,
  fields: z
    .array(z.object({ pointer: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
    .describe("JSON Pointers into the node; without `before` the field is new, without `after` it is gone."),
});
export type NodeChange = z.infer<typeof nodeChange>;
export const comparison = z
  .object({
    from: version,
    to: version,
    nodes: z.object({ added: z.array(canvasNode), removed: z.array(canvasNode), changed: z.array(nodeChange) }),
    edges: z.object({ added: z.array(canvasEdge), removed: z.array(canvasEdge) }),
  })
  .meta({ id: "WorkflowComparison" });
export type Comparison = z.infer<typeof comparison>;

/** A workflow outside of the installation. Accounts are named, not referred to: ids mean nothing elsewhere. */
export const workflowFile = z
  .object({
    format: z.enum(["switchyard.workflow"]),
    formatVersion: z.int().refine((value) => value === 1, "must be 1"),
    name,
    description: description.optional(),
    tool: workflowTool.nullable().optional(),
    canvas: z
      .record(z.string(), z.unknown())
      .describe("A canvas whose nodes name their accounts: credential type to an object with the account's name."),
  })
  .meta({ id: "WorkflowFile" });
export type WorkflowFile = z.infer<typeof workflowFile>;

export const engineNodeList = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        title: z.string(),
        description: z.string(),
        synonyms: z.array(z.string()).describe("Other words that people look for it with."),
        version: z.int(),
        inputSchema: z
          .record(z.string(), z.unknown())
          .describe(
            "JSON Schema 2020-12. Fields with `expression: true` are JSONata as they stand; their type is that of the result.",
          ),
        ways: z
          .array(z.string())
          .describe("Names of its ways out before anything is entered; a switch has one more for each rule."),
        per: z.enum(["item", "list"]).describe("Executed for each incoming item, or once for all of them."),
      })
      .meta({ id: "EngineNode" }),
  ),
});
