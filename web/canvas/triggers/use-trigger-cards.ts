import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Blocks, KeyRound, type LucideIcon, Workflow as WorkflowSign } from "lucide-react";
import type { RunStarts } from "../../../src/runs/wire.ts";
import type { Trigger } from "../../../src/triggers/wire.ts";
import type { Workflow } from "../../../src/workflows/wire.ts";
import { startsQuery } from "../../api/deliveries.ts";
import { triggersQuery } from "../../api/triggers.ts";
import { describeCron } from "../../pages/triggers/cron-words.ts";
import { kindLooks } from "../../pages/triggers/kinds.ts";
import { useLiveTriggers } from "../../pages/triggers/use-live-triggers.ts";
import { panelOfTrigger, toolPanel } from "./panel-names.ts";

/** What starts a workflow, as a card before its first nodes. */
export type TriggerCard = {
  id: string;
  title: string;
  /** Its kind or its time, whether it is on, and how often it fired today. */
  state: string;
  Icon: LucideIcon;
  isOn: boolean;
  /** It was turned off by itself, or the last start failed. */
  problem: string | null;
  /** What is opened beside the canvas. */
  panel: string;
  /** Where it is a trigger of its own. */
  trigger?: Trigger;
};

const readAgainMs = 10_000;
const weekMs = 7 * 86_400_000;

/** The triggers of a workflow, and the other ways in which it is started. */
export function useTriggerCards(organizationId: string, workflow: Workflow): TriggerCard[] {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const list = useInfiniteQuery(triggersQuery(organizationId, workflow.id));
  useLiveTriggers(organizationId);
  const today = useQuery({
    ...startsQuery(organizationId, workflow.id, midnight),
    refetchInterval: readAgainMs,
  }).data;
  const week = useQuery(startsQuery(organizationId, workflow.id, new Date(midnight.getTime() - weekMs))).data;
  const triggers = list.data?.pages.flatMap(({ data }) => data).filter(({ workflowId }) => workflowId === workflow.id);
  if (!triggers) return [];
  const ofTriggers = triggers.toReversed().map((trigger) => toCard(trigger, countOf(today, trigger.id)));
  return [...ofTriggers, ...otherWays(workflow, { today, week })];
}

function toCard(trigger: Trigger, count: number): TriggerCard {
  const { id, name, kind, active, cron, stoppedReason, lastError } = trigger;
  const { title, Icon } = kindLooks[kind];
  const words = kind === "schedule" ? (describeCron(cron ?? "") ?? title) : title;
  return {
    id,
    title: name,
    state: joinState(words === name ? title : words, active, count),
    Icon,
    isOn: active,
    problem: stoppedReason ?? (active ? lastError : null),
    panel: panelOfTrigger(id),
    trigger,
  };
}

const joinState = (words: string, isOn: boolean, count: number): string =>
  [words, isOn ? "on" : "off", ...(count > 0 ? [`${count} today`] : [])].join(" · ");

type Counted = { today: RunStarts | undefined; week: RunStarts | undefined };

/** Those that no trigger stands for are shown where they are offered, or were used lately. */
function otherWays({ isActive, tool }: Workflow, { today, week }: Counted): TriggerCard[] {
  const ways = [
    { kind: "tool", title: tool ? tool.name : "", words: "Offered as a tool", Icon: Blocks, isShown: tool !== null },
    { kind: "api", title: "Called by key", words: "API", Icon: KeyRound, isShown: wasUsed(week, "api") },
    {
      kind: "workflow",
      title: "Called by a workflow",
      words: "Workflow",
      Icon: WorkflowSign,
      isShown: wasUsed(week, "workflow"),
    },
  ];
  return ways
    .filter(({ isShown }) => isShown)
    .map(({ kind, title, words, Icon }) => ({
      id: `start-${kind}`,
      title,
      state: joinState(words, isActive, countOfKind(today, kind)),
      Icon,
      isOn: isActive,
      problem: null,
      panel: kind === "tool" ? toolPanel : "call",
    }));
}

const countOf = (starts: RunStarts | undefined, triggerId: string): number =>
  starts?.data.reduce((sum, one) => (one.triggerId === triggerId ? sum + one.count : sum), 0) ?? 0;

const countOfKind = (starts: RunStarts | undefined, kind: string): number =>
  starts?.data.find(({ executionType }) => executionType === kind)?.count ?? 0;

const wasUsed = (starts: RunStarts | undefined, kind: string): boolean => countOfKind(starts, kind) > 0;
