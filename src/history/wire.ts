import { z } from "zod";

// The shapes the platform API speaks about recorded tool calls. The web UI imports only this file.

export const callSources = ["mcp", "platform"] as const;
export const callSource = z.enum(callSources).meta({ id: "CallSource" });
export type CallSource = z.infer<typeof callSource>;

export const callStatuses = [
  "running",
  "success",
  "failed",
  "timed_out",
  "cancelled",
  "refused",
  "interrupted",
] as const;
export const callStatus = z.enum(callStatuses).meta({ id: "CallStatus" });
export type CallStatus = z.infer<typeof callStatus>;

const instant = z.iso.datetime();
const id = z.uuid();
const milliseconds = z.int();

export const toolCallEntry = z
  .object({
    id,
    source: callSource,
    serverId: z.string(),
    tool: z.string(),
    status: callStatus,
    apiKeyId: id.nullable(),
    apiKeyName: z.string().nullable(),
    apiKeyDeleted: z.boolean().describe("The key that made the call does not exist any more."),
    oauthClientId: z.string().nullable(),
    oauthClientName: z.string().nullable(),
    userId: id.nullable(),
    userName: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    queuedAt: instant,
    startedAt: instant.nullable(),
    completedAt: instant.nullable(),
    queueMs: milliseconds,
    durationMs: milliseconds.nullable(),
    traceId: z.string().nullable(),
    requestId: z.string().nullable(),
    replayOf: id.nullable().describe("The recorded call that this one repeats."),
    truncated: z.boolean().describe("A payload was too large to be kept whole."),
    sanitized: z
      .boolean()
      .describe(
        "A payload held something that cannot be stored, or a secret that the caller typed; it was replaced visibly.",
      ),
  })
  .meta({ id: "ToolCallEntry" });
export type ToolCallEntry = z.infer<typeof toolCallEntry>;

export const toolCall = toolCallEntry
  .extend({
    parameters: z.unknown(),
    credentials: z.unknown().describe("References only, never secrets."),
    outputs: z.unknown(),
  })
  .meta({ id: "ToolCall" });
export type ToolCall = z.infer<typeof toolCall>;

export const toolCallFilter = z.object({
  source: callSource.optional(),
  serverId: z.string().min(1).max(64).optional(),
  tool: z.string().min(1).max(64).optional(),
  status: callStatus.optional(),
  apiKeyId: id.optional(),
  from: instant.optional().describe("Calls that arrived at this moment or later."),
  to: instant.optional().describe("Calls that arrived before this moment."),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      "Text in the tool's name, the error or the parameters, whatever its case. One page looks through 2,000 calls at most.",
    ),
});
export type ToolCallFilter = z.infer<typeof toolCallFilter>;

export const toolCallQuery = toolCallFilter.extend({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(100).optional().describe("`nextCursor` of the page before."),
});
export type ToolCallQuery = z.infer<typeof toolCallQuery>;

export const toolCallList = z
  .object({
    data: z.array(toolCallEntry).describe("Newest first."),
    nextCursor: z.string().nullable(),
    searchedBackTo: instant
      .nullable()
      .describe("With `search`: calls from here on were looked through; older ones follow on the next page."),
  })
  .meta({ id: "ToolCallList" });
export type ToolCallList = z.infer<typeof toolCallList>;

export const copyQuery = z.object({ as: z.enum(["curl", "mcp"]).default("curl") });
