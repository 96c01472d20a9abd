import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { Database } from "../storage/database.ts";
import type { Polls } from "./polls/find-poll.ts";
import type { FindSamples } from "./polls/find-samples.ts";
import { requestOfDelivery, requestOfItem, requestOfTick } from "./run-requests.ts";
import { findTrigger, type Place, type TriggerRow, triggerTables } from "./store.ts";
import { methodsOf } from "./trigger-view.ts";
import type { TriggerTrial } from "./wire.ts";

export type TryTrigger = ReturnType<typeof createTryTrigger>;

type Options = {
  db: Database;
  clock: Clock;
  startRun: StartRun;
  polls: Pick<Polls, "targetOf">;
  findNewest: FindSamples["findNewest"];
};

/** An operator on the command line is no user. */
type TryRequest = {
  place: Place;
  trial: TriggerTrial;
  user?: { id: string; name: string };
  requestId: string;
  trace: Span;
};

/** Starts what a tick, a delivery or a new item would start, also while the trigger is off: whoever sets one up wants to see it work first. */
export function createTryTrigger({ db, clock, startRun, polls, findNewest }: Options) {
  const tables = triggerTables(db);

  /** Without a payload the newest item of the service. */
  async function requestOfPoll(row: TriggerRow, { payload }: TriggerTrial, trace: Span): Promise<RunRequest> {
    const target = polls.targetOf(row);
    if (payload !== undefined) return requestOfItem(row, { poll: target.poll, payload }, trace);
    const [newest] = await findNewest(
      { target, organizationId: row.organization_id, credentialId: row.credential_id },
      1,
    );
    if (!newest) throw new Refusal("conflict", `${target.provider.title} has nothing there to try it with.`);
    return requestOfItem(row, { poll: target.poll, payload: newest.payload }, trace);
  }

  return async ({ place, trial, user, requestId, trace }: TryRequest) => {
    const row = await findTrigger(tables, place);
    if (!row) throw new Refusal("not_found", "There is no such trigger.");
    const runRequest =
      row.kind === "poll"
        ? await requestOfPoll(row, trial, trace)
        : toRunRequest(row, trial, { now: clock.now(), trace });
    const trigger = { ...runRequest.trigger, ...(trial.prompt === undefined ? {} : { prompt: trial.prompt }) };
    const { id, createdAt } = await startRun({
      ...runRequest,
      trigger,
      ...(user ? { user } : {}),
      requestId,
      evenIfOff: true,
    });
    return { id, createdAt, organizationId: row.organization_id, workflowId: row.workflow_id };
  };
}

function toRunRequest(
  row: TriggerRow,
  { payload }: TriggerTrial,
  { now, trace }: { now: Date; trace: Span },
): RunRequest {
  const request = { method: methodsOf(row)[0] ?? "POST", query: {}, headers: {} };
  const delivered = { event: null, payload: payload ?? {}, request };
  const runRequest =
    row.kind === "schedule" ? requestOfTick(row, now, trace) : requestOfDelivery(row, delivered, trace);
  return { ...runRequest, trigger: { ...runRequest.trigger, ...(payload === undefined ? {} : { payload }) } };
}
