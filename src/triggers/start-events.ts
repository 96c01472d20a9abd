import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { Signer } from "./believe-delivery.ts";
import type { Ignored, JudgeEvent } from "./judge-event.ts";
import { noteDelivery, type TriggersDb, type WebhookRow } from "./store.ts";

type Options = { tables: TriggersDb; log: Log; judgeEvent: JudgeEvent; startRun: StartRun };

type Outcome = { id: string } | Ignored;

// Whoever looks at the list wants to know the day or the minute; the row of a busy webhook is left alone meanwhile.
const noteEveryMs = 10_000;

/**
 * Starts a run for each event of a delivery that is asked for, one after the other, so that runs have the order of the events. Tells of the first
 * that started, or why the last one did not.
 */
export function createStartEvents({ tables, log, judgeEvent, startRun }: Options) {
  async function start(row: WebhookRow, request: RunRequest): Promise<string> {
    try {
      const { id } = await startRun(request);
      const firedAt = row.read_at;
      // The run was accepted: whoever heard of a failure would deliver again.
      if (row.last_error !== null || firedAt.getTime() - (row.last_fired_at?.getTime() ?? 0) > noteEveryMs)
        await noteDelivery(tables, row, { firedAt }).catch((error: unknown) =>
          log.warn({ err: error, triggerId: row.id }, "A delivery could not be noted."),
        );
      return id;
    } catch (error) {
      const isOurs = error instanceof Refusal && error.status < 500 && error.code !== "trigger_off";
      if (isOurs && row.last_error !== error.message) await noteDelivery(tables, row, { error: error.message });
      throw error;
    }
  }

  async function startOne(row: WebhookRow, signer: Signer | undefined, request: RunRequest): Promise<Outcome> {
    // One that is off says so, whatever was delivered.
    const ignored = row.is_active ? await judgeEvent(row, signer, request.trigger) : undefined;
    return ignored ?? { id: await start(row, request) };
  }

  return async (row: WebhookRow, signer: Signer | undefined, requests: RunRequest[]): Promise<Outcome> => {
    const outcomes: Outcome[] = [];
    const failures: unknown[] = [];
    // One person's message must not keep back those of others; who delivers again starts only what has not been.
    for (const request of requests)
      await startOne(row, signer, request).then(
        (one) => outcomes.push(one),
        (error: unknown) => failures.push(error),
      );
    // Last, because a run that starts takes the error of before away.
    const fault = outcomes.find((one) => "reason" in one && one.isFault);
    if (fault && "reason" in fault && row.last_error !== fault.reason)
      await noteDelivery(tables, row, { error: fault.reason });
    if (failures.length > 0) throw failures[0];
    return (
      outcomes.find((one) => "id" in one) ?? outcomes.at(-1) ?? { reason: "Nothing was delivered.", isFault: false }
    );
  };
}
