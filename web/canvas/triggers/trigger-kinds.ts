import { AppWindow, Blocks, KeyRound, type LucideIcon, Workflow } from "lucide-react";
import { kindLooks } from "../../pages/triggers/kinds.ts";
import { senders } from "../../pages/triggers/senders.ts";
import { panelOfNew, toolPanel } from "./panel-names.ts";

/** One way to start a workflow, for whatever offers it. */
export type OfferedStart = {
  id: string;
  title: string;
  words: string;
  Icon: LucideIcon;
  /** Other words that people look for it by. */
  synonyms: readonly string[];
  /** What is opened beside the canvas: the form of a new trigger, or how the workflow is called. */
  panel: string;
};

const apps = senders.filter(({ provider }) => provider !== null);

export const offeredStarts: readonly OfferedStart[] = [
  {
    id: "start:webhook",
    title: kindLooks.webhook.title,
    words: "A program or a form sends a request",
    Icon: kindLooks.webhook.Icon,
    synonyms: ["hook", "event", "callback", "form", "incoming request", "url"],
    panel: panelOfNew("webhook"),
  },
  {
    id: "start:schedule",
    title: kindLooks.schedule.title,
    words: "Every few minutes, every day at 9:00",
    Icon: kindLooks.schedule.Icon,
    synonyms: ["cron", "timer", "time", "every day", "interval", "clock", "recurring"],
    panel: panelOfNew("schedule"),
  },
  {
    id: "start:app",
    title: "Event of an app",
    words: "A message, an issue, a payment",
    Icon: AppWindow,
    synonyms: [...apps.map(({ title }) => title), "app webhook", "app", "bot", "slash command"],
    panel: panelOfNew("webhook", apps[0]?.id),
  },
  {
    id: "start:poll",
    title: kindLooks.poll.title,
    words: "Look at a service for something new",
    Icon: kindLooks.poll.Icon,
    synonyms: ["watch", "new mail", "new row", "feed", "rss", "check"],
    panel: panelOfNew("poll"),
  },
  {
    id: "start:tool",
    title: "Offered as a tool",
    words: "Claude, Cursor or another client calls it",
    Icon: Blocks,
    synonyms: ["mcp", "tool call", "agent", "assistant", "claude", "cursor"],
    panel: toolPanel,
  },
  {
    id: "start:key",
    title: "Called by key",
    words: "A program calls it with an API key",
    Icon: KeyRound,
    synonyms: ["api", "api key", "curl", "rest", "program"],
    panel: "call",
  },
  {
    id: "start:workflow",
    title: "Called by a workflow",
    words: "Another workflow calls it as a step",
    Icon: Workflow,
    synonyms: ["sub workflow", "subworkflow", "execute workflow", "child"],
    panel: "call",
  },
];
