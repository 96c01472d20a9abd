import { z } from "zod";
import type { Triggers } from "../../triggers/triggers.ts";
import { cursorInput, definePlatformTool, id, instant, nextCursor, reads, total } from "./define-platform-tool.ts";

export const trigger = z.object({
  id,
  workflowId: id,
  workflowName: z.string(),
  kind: z.enum(["schedule", "webhook", "poll"]),
  active: z.boolean().describe("An inactive trigger starts nothing."),
  cron: z.string().nullable().describe("Of a schedule."),
  timeZone: z.string().nullable().describe("IANA zone of a schedule."),
  nextRunAt: instant.nullable(),
  lastRunAt: instant.nullable(),
  createdAt: instant,
});

export const createListTriggers = (triggers: Pick<Triggers, "page">) =>
  definePlatformTool({
    id: "platform_list_triggers",
    title: "List triggers",
    description:
      "Schedules, webhooks and polls that start workflows. The secret address of a webhook is never returned.",
    scope: "platform:read",
    hints: reads,
    input: cursorInput,
    output: z.object({ total, nextCursor, triggers: z.array(trigger) }),
    run: ({ input, organizationId }) => triggers.page(organizationId, input),
  });
