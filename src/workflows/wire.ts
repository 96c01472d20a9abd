import { z } from "zod";
import { errorWorkflow } from "./error-wire.ts";
import { labelQuery, labels, storedLabels } from "./label-wire.ts";

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

export const maxNodeNote = 2000;
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
  note: z.string().max(maxNodeNote).optional().describe("For people who read the canvas; runs ignore it."),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});

export const canvasEdge = z.strictObject({
  id: canvasId,
  source: canvasId,
  sourceHandle: z.string().max(64).nullish().describe("Which way out of the source, where it has several."),
  target: canvasId,
});

export const maxNoteText = 5000;
const noteSide = z.number().max(10_000);
export const canvasNote = z
  .strictObject({
    id: canvasId,
    text: z
      .string()
      .max(maxNoteText)
      .describe("Plain text. Its first line is the heading; [words](https://…) is a link."),
    x: z.number().describe("Of its left upper corner, as positions of nodes."),
    y: z.number(),
    width: noteSide.min(80),
    height: noteSide.min(40),
  })
  .describe("A sheet of text behind the nodes, for people; runs ignore it.");

export const maxNodes = 500;
export const maxEdges = 2000;
export const maxNotes = 100;
/** Values in one node: whatever is done with them is done for all of them before anybody else has a turn. */
export const maxNodeValues = 5000;
export const canvas = z.strictObject({
  nodes: z.array(canvasNode).max(maxNodes),
  edges: z.array(canvasEdge).max(maxEdges),
  notes: z.array(canvasNote).max(maxNotes).optional(),
});

export type Canvas = z.infer<typeof canvas>;
export type CanvasNode = z.infer<typeof canvasNode>;
export type CanvasEdge = z.infer<typeof canvasEdge>;
export type CanvasNote = z.infer<typeof canvasNote>;

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
export const canvasAsSaved = canvasAsSent as unknown as z.ZodType<Canvas>;

const id = z.uuid();
const instant = z.iso.datetime();
const name = z.string().trim().min(1).max(200);
const description = z.string().max(5000);
const version = z.int().min(1).max(2_147_483_647);
export const versionOrNone = z.int().min(0).max(2_147_483_647);
const author = { user: id.nullable(), key: id.nullable(), name: z.string().nullable() };

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

const draftHead = z.object({
  revision: version.describe("Raised by every change of the draft."),
  basedOn: versionOrNone.describe("The published version it was made on; 0: there was none."),
  faultCount: z.int().describe("How many faults hinder publishing, as of the moment it was saved."),
  savedBy: author.user,
  savedByKey: author.key,
  savedByName: author.name,
  savedAt: instant,
});
export type DraftHead = z.infer<typeof draftHead>;

const workflowHead = z.object({
  id,
  name: z.string(),
  description: z.string(),
  ...storedLabels,
  isActive: z.boolean().describe("Whether runs can be started."),
  version: versionOrNone.describe("The published one, which runs; 0: nothing was published yet."),
  draft: draftHead.nullable().describe("What was changed since and is not published."),
  nodeCount: z.int(),
  nodeKinds: z.array(z.string()).describe("Types of its nodes, each once, in the order of the canvas."),
  tool: workflowTool.nullable(),
  errorWorkflow,
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
  .extend({
    lastRun: lastRun.nullable().describe("The run that was accepted last; runs of the editor do not count."),
    triggers: triggerCount,
  })
  .meta({ id: "WorkflowSummary" });
export type WorkflowSummary = z.infer<typeof workflowSummary>;
export type WorkflowActivity = Pick<WorkflowSummary, "lastRun" | "triggers">;

export const workflow = workflowHead
  .extend({ canvasSha256: z.string(), canvas: canvasAsSaved.describe("The published one.") })
  .meta({ id: "Workflow" });
export type Workflow = z.infer<typeof workflow>;

const faults = z.array(remark).describe("What hinders publishing the draft, the first hundred.");
export const savedWorkflow = workflow.extend({ warnings, faults: faults.optional() }).meta({ id: "SavedWorkflow" });
export type SavedWorkflow = z.infer<typeof savedWorkflow>;

export const pageQuery = z.object({
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const workflowQuery = pageQuery.extend({
  search: z.string().trim().max(200).optional().describe("Text in the name or the description, whatever its case."),
  ...labelQuery,
});
export const workflowList = z.object({
  data: z.array(workflowSummary).describe("Newest change first."),
  total: z.int(),
});

const publish = z
  .boolean()
  .optional()
  .describe("false: the canvas is kept as a draft, with any faults; otherwise it is published.");
export const workflowRequest = z.object({
  name,
  description: description.optional(),
  folder: labels.folder.optional(),
  tags: labels.tags.optional(),
  isActive: z.boolean().optional(),
  tool: workflowTool.nullable().optional(),
  errorWorkflow: errorWorkflow.optional(),
  canvas: canvasAsSent,
  publish,
});
export type WorkflowRequest = z.infer<typeof workflowRequest>;

const note = z.string().max(500).optional().describe("What the new version of the canvas is about.");
const expectedVersion = versionOrNone.optional();
const expectedDraft = version.optional().describe("The revision of the draft that the change was made on.");
export const workflowChange = workflowRequest
  .partial()
  .extend({
    note,
    expectedVersion: expectedVersion.describe("The version the change was made on; needed with a canvas."),
    expectedDraft,
  })
  .refine(
    ({ note: _note, expectedVersion: _version, expectedDraft: _draft, publish: _publish, ...change }) =>
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

export const workflowDraft = draftHead.extend({ faults, canvasSha256: z.string(), canvas: canvasAsSaved });
export type WorkflowDraft = z.infer<typeof workflowDraft>;
export const publication = z.object({
  note,
  isActive: z.boolean().optional().describe("Whether runs can be started; true at the first publication."),
  expectedDraft,
  expectedVersion: expectedVersion.describe("Needed when another version was published since the draft was made."),
});
export type Publication = z.infer<typeof publication>;

const versionEntry = z.object({
  version,
  note: z.string(),
  canvasSha256: z.string(),
  createdBy: author.user,
  createdByKey: author.key,
  createdByName: author.name.describe("Of the user or the key; null for the command line."),
  createdAt: instant,
});
export type VersionEntry = z.infer<typeof versionEntry>;
export const versionList = z.object({ data: z.array(versionEntry).describe("Newest first."), total: z.int() });
export const workflowVersion = versionEntry.extend({ canvas: canvasAsSaved }).meta({ id: "WorkflowVersion" });
export type WorkflowVersion = z.infer<typeof workflowVersion>;
