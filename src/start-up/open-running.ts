import { openCalls } from "../calls/open-calls.ts";
import { openDeliveries } from "../deliveries/open-deliveries.ts";
import { openRuns } from "../runs/open-runs.ts";
import { openSlots } from "../slots/open-slots.ts";
import { openTriggers } from "../triggers/open-triggers.ts";
import { openUsage } from "../usage/open-usage.ts";
import { inOrder } from "./in-order.ts";
import type { Parts } from "./open-parts.ts";
import { openRemovals } from "./open-removals.ts";

export type Running = ReturnType<typeof openRunning>;

/** What calls tools and runs workflows, in the order of dependence. It stops after the doors: what they began may still need all of it. */
export function openRunning(parts: Parts) {
  const { ground } = parts;
  const slots = openSlots(ground, parts.plans);
  const calls = openCalls(ground, { ...parts, slots });
  const runs = openRuns(ground, { ...parts, slots, calls });
  const deliveries = openDeliveries(ground, parts);
  const triggers = openTriggers(ground, { ...parts, runs, deliveries });
  const removals = openRemovals(ground, { ...parts, runs, triggers });
  const usage = openUsage(ground, { ...parts, runs });
  const { start, stop } = inOrder([slots, runs, deliveries, triggers, removals]);
  return { slots, calls, runs, deliveries, triggers, removals, usage, start, stop };
}
