import { createPause } from "../base/pause-long-work.ts";
import { Refusal } from "../base/refusal.ts";
import type { Webhook } from "../contract/webhook.ts";
import { evaluateExpression } from "../expressions/evaluate-expressions.ts";
import { findExpressionFaults } from "../expressions/find-expression-faults.ts";
import type { TriggerData } from "../workflows/engine-node.ts";
import { namedVariables } from "../workflows/variables/named-variables.ts";
import type { Variables } from "../workflows/variables/variables.ts";
import { invalid } from "./read-request.ts";
import type { TriggerRow } from "./store.ts";

/** Why a trigger does not want an event; undefined where it does. */
export function findUnwanted(
  row: TriggerRow,
  webhook: Webhook,
  { event = null, payload }: TriggerData,
): string | undefined {
  const events = JSON.parse(row.events) as string[];
  const names = event === null ? [] : [event, ...(webhook.namesOf?.(event, payload) ?? [])];
  if (events.length > 0 && !events.some((wanted) => names.some((name) => isCalled(name, wanted))))
    return "This event is not asked for.";
  const places = (JSON.parse(row.places) as string[]).map(toPlace);
  if (places.length === 0) return undefined;
  const found = (webhook.placesOf?.(payload) ?? []).map(toPlace);
  return found.some((place) => places.includes(place)) ? undefined : "Events from there are not asked for.";
}

export type IsFilterMet = ReturnType<typeof createIsFilterMet>;

/** Whether what a trigger's expression says holds. What cannot be evaluated is refused, because nobody knows. */
export const createIsFilterMet =
  ({ valuesOf }: Pick<Variables, "valuesOf">) =>
  async ({ organization_id, filter }: TriggerRow, trigger: TriggerData): Promise<boolean> => {
    if (filter === "") return true;
    const vars = await valuesOf(organization_id, namedVariables(filter));
    const seen = { input: trigger, bindings: { trigger, vars } };
    const value = await evaluateExpression(organization_id, filter, seen).catch((error: unknown) => {
      throw error instanceof Refusal ? error.reworded((text) => text.replace(/^The expression/, "The filter")) : error;
    });
    if (value === undefined || value === null || typeof value === "boolean") return value === true;
    throw new Refusal(
      "validation_failed",
      'The filter must give true or false, for example $trigger.payload.action = "opened".',
    );
  };

/** Refuses names of events that would never start a run, because no person causes them and those of others are not taken. */
export function checkEvents(
  webhook: Webhook | undefined,
  { events, takesBots }: { events: string[]; takesBots: boolean },
): void {
  const unheard = takesBots
    ? undefined
    : events.find((wanted) => webhook?.neverOfPeople?.some((name) => isPartOf(name, wanted)));
  if (unheard === undefined) return;
  const detail = `has ${unheard}, which no person causes: tick "Also take events of bots" (takesBots), or leave it out`;
  throw invalid([{ pointer: "/events", detail }]);
}

export async function checkFilter(organizationId: string, filter: string | undefined): Promise<void> {
  if (filter === undefined || filter.trim() === "") return;
  const [fault] = await findExpressionFaults(organizationId, [filter], createPause());
  if (fault !== undefined) throw invalid([{ pointer: "/filter", detail: `is no expression: ${fault}` }]);
}

const isCalled = (name: string, wanted: string): boolean =>
  wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted;

/** Whether whatever `wanted` stands for is called `name`, or more exactly. */
const isPartOf = (name: string, wanted: string): boolean =>
  wanted.replace(/\*$/, "") === name || wanted.startsWith(`${name}.`);

/** Slack shows channels with a #, and GitHub takes names in any case. */
const toPlace = (place: string): string => place.replace(/^#/, "").toLowerCase();
