import { Clock, type LucideIcon, Radar, Webhook } from "lucide-react";
import type { TriggerKind } from "../../../src/triggers/wire.ts";

/** How people know the kinds of triggers, in the order in which they are offered. */
export const kindLooks: Record<TriggerKind, { title: string; words: string; add: string; Icon: LucideIcon }> = {
  schedule: { title: "Schedule", words: "When it is time", add: "Add a schedule", Icon: Clock },
  webhook: { title: "Webhook", words: "When somebody delivers something", add: "Add a webhook", Icon: Webhook },
  poll: { title: "Polling", words: "When a service has something new", add: "Check a service", Icon: Radar },
};

export const kinds = Object.keys(kindLooks) as TriggerKind[];

/** What the address of the page asks for. */
export const readKind = (text: string): TriggerKind => kinds.find((kind) => kind === text) ?? "schedule";
