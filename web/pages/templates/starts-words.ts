import { Blocks, type LucideIcon, Play } from "lucide-react";
import { kindLooks } from "../triggers/kinds.ts";
import type { Starts } from "./templates.ts";

/** What starts the workflow, in words for people. */
export const startsLooks: Record<Starts, { words: string; Icon: LucideIcon }> = {
  hand: { words: "Started by hand or by a program", Icon: Play },
  tool: { words: "Called by an AI client as a tool", Icon: Blocks },
  schedule: { words: "Runs on a schedule", Icon: kindLooks.schedule.Icon },
  webhook: { words: "Started by a webhook", Icon: kindLooks.webhook.Icon },
  poll: { words: "Started by what is new at a service", Icon: kindLooks.poll.Icon },
};
