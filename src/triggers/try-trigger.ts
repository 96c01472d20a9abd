import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { RunWish, StartRun } from "../runs/start-run.ts";
import type { Database } from "../storage/database.ts";
import { wishOfDelivery, wishOfTick } from "./run-wishes.ts";
import { findTrigger, type Place, type TriggerRow, triggerTables } from "./store.ts";
import { methodsOf } from "./trigger-view.ts";
import type { TriggerTrial } from "./wire.ts";

export type TryTrigger = ReturnType<typeof createTryTrigger>;

type Options = { db: Database; clock: Clock; startRun: StartRun };

type Wish = { place: Place; trial: TriggerTrial; user: { id: string; name: string }; requestId: string; trace: Span };

/** Starts what a tick or a delivery would start, also while the trigger is off: whoever sets one up wants to see it work first. */
export function createTryTrigger({ db, clock, startRun }: Options) {
  const tables = triggerTables(db);
  return async ({ place, trial, user, requestId, trace }: Wish) => {
    const row = await findTrigger(tables, place);
    if (!row) throw new Refusal("not_found", "There is no such trigger.");
    const { id, createdAt } = await startRun({ ...toWish(row, trial, { now: clock.now(), trace }), user, requestId, evenIfOff: true });
    return { id, createdAt, organizationId: row.organization_id, workflowId: row.workflow_id };
  };
}

function toWish(row: TriggerRow, { payload, prompt }: TriggerTrial, { now, trace }: { now: Date; trace: Span }): RunWish {
  const request = { method: methodsOf(row)[0] ?? "POST", query: {}, headers: {} };
  const delivered = { event: null, payload: payload ?? {}, request };
  const wish = row.kind === "schedule" ? wishOfTick(row, now, trace) : wishOfDelivery(row, delivered, trace);
  const trigger = {
    ...wish.trigger,
    ...(payload === undefined ? {} : { payload }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return { ...wish, trigger };
}
