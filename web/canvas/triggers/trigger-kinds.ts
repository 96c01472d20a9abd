import type { LucideIcon } from "lucide-react";
import type { TriggerKind } from "../../../src/triggers/wire.ts";
import { kindLooks, kinds } from "../../pages/triggers/kinds.ts";

export type OfferedTrigger = {
  kind: TriggerKind;
  title: string;
  words: string;
  Icon: LucideIcon;
  /** Other words that people look for it by. */
  synonyms: readonly string[];
};

const synonyms: Record<TriggerKind, readonly string[]> = {
  schedule: ["cron", "timer", "time", "every day", "interval", "clock"],
  webhook: ["http", "request", "event", "callback", "form", "incoming", "slack", "github", "stripe", "telegram"],
  poll: ["watch", "new mail", "new row", "feed", "rss", "check", "app"],
};

/** The triggers that can be added to a workflow, for whatever offers them. */
export const offeredTriggers: readonly OfferedTrigger[] = kinds.map((kind) => {
  const { title, words, Icon } = kindLooks[kind];
  return { kind, title, words, Icon, synonyms: synonyms[kind] };
});
