import { z } from "zod";
import type { History } from "../../history/history.ts";
import { callSources, callStatuses } from "../../history/wire.ts";
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

const toolInvocation = z.object({
  id,
  source: z.enum(callSources),
  serverId: z.string(),
  tool: z.string(),
  status: z.enum(callStatuses),
  apiKeyName: z.string().nullable().describe("Only when a key was used."),
  error: failure.nullable(),
  queuedAt: instant,
  completedAt: instant.nullable(),
  queueMs: z.int().min(0),
  durationMs: z.int().min(0).nullable(),
});

const output = z.object({ total: totalSoFar, nextCursor, toolInvocations: z.array(toolInvocation) });

export const createListToolInvocations = ({ page }: Pick<History["calls"], "page">) =>
  definePlatformTool({
    id: "platform_list_tool_invocations",
    title: "List tool calls",
    description: "Tool calls made through the MCP servers, newest first. A search looks at the newest 100,000.",
    scope: "platform:read",
    hints: reads,
    input: cursorInput,
    output,
    async run({ input, organizationId }) {
      const { total: count, nextCursor: next, entries } = await page(organizationId, input);
      return { total: count, nextCursor: next, toolInvocations: entries.map((entry) => toolInvocation.parse(entry)) };
    },
  });
