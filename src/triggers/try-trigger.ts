import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { RunWish } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { Database } from "../storage/database.ts";
import type { Polls } from "./polls/find-poll.ts";
import type { FindSamples } from "./polls/find-samples.ts";
import { wishOfDelivery, wishOfItem, wishOfTick } from "./run-wishes.ts";
import { findTrigger, type Place, type TriggerRow, triggerTables } from "./store.ts";
import { methodsOf } from "./trigger-view.ts";
import type { TriggerTrial } from "./wire.ts";

export type TryTrigger = ReturnType<typeof createTryTrigger>;

type Options = { db: Database; clock: Clock; startRun: StartRun; polls: Pick<Polls, "targetOf">; findNewest: FindSamples["findNewest"] };

/** An operator on the command line is no user. */
type Wish = { place: Place; trial: TriggerTrial; user?: { id: string; name: string }; requestId: string; trace: Span };

/** Starts what a tick, a delivery or a new item would start, also while the trigger is off: whoever sets one up wants to see it work first. */
export function createTryTrigger({ db, clock, startRun, polls, findNewest }: Options) {
  const tables = triggerTables(db);

  /** Without a payload the newest item of the service. */
  async function wishOfPoll(row: TriggerRow, { payload }: TriggerTrial, trace: Span): Promise<RunWish> {
    const target = polls.targetOf(row);
    if (payload !== undefined) return wishOfItem(row, { poll: target.poll, payload }, trace);
    const [newest] = await findNewest({ target, organizationId: row.organization_id, credentialId: row.credential_id }, 1);
    if (!newest) throw new Refusal("conflict", `${target.provider.title} has nothing there to try it with.`);
    return wishOfItem(row, { poll: target.poll, payload: newest.payload }, trace);
  }

  return async ({ place, trial, user, requestId, trace }: Wish) => {
    const row = await findTrigger(tables, place);
    if (!row) throw new Refusal("not_found", "There is no such trigger.");
    const wish = row.kind === "poll" ? await wishOfPoll(row, trial, trace) : toWish(row, trial, { now: clock.now(), trace });
    const trigger = { ...wish.trigger, ...(trial.prompt === undefined ? {} : { prompt: trial.prompt }) };
    const { id, createdAt } = await startRun({ ...wish, trigger, ...(user ? { user } : {}), requestId, evenIfOff: true });
    return { id, createdAt, organizationId: row.organization_id, workflowId: row.workflow_id };
  };
}

function toWish(row: TriggerRow, { payload }: TriggerTrial, { now, trace }: { now: Date; trace: Span }): RunWish {
  const request = { method: methodsOf(row)[0] ?? "POST", query: {}, headers: {} };
  const delivered = { event: null, payload: payload ?? {}, request };
  const wish = row.kind === "schedule" ? wishOfTick(row, now, trace) : wishOfDelivery(row, delivered, trace);
  return { ...wish, trigger: { ...wish.trigger, ...(payload === undefined ? {} : { payload }) } };
}
