import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { WebhookEvent, WebhookRequest } from "../contract/webhook.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { WaitForAnswer } from "../runs/control/wait-for-answer.ts";
import type { Database } from "../storage/database.ts";
import { createAnswerDelivery } from "./answer-delivery.ts";
import type { BelieveDelivery, Signer } from "./believe-delivery.ts";
import { decodeBody } from "./decode-body.ts";
import type { Ignored, JudgeEvent } from "./judge-event.ts";
import { answerIgnored, type DeliveryAnswer, deliveryOf } from "./provider-deliveries.ts";
import { readPayload } from "./read-payload.ts";
import { describeRequest } from "./request-facts.ts";
import { requestOfDelivery } from "./run-requests.ts";
import { findWebhook, noteDelivery, triggerTables, type WebhookRow } from "./store.ts";
import { methodsOf } from "./trigger-view.ts";
import { hashToken } from "./webhook-secrets.ts";

export type ReceiveWebhook = ReturnType<typeof createReceiveWebhook>;

type Options = {
  db: Database;
  log: Log;
  believe: BelieveDelivery;
  judgeEvent: JudgeEvent;
  startRun: StartRun;
  waitForAnswer: WaitForAnswer;
};

export type Delivery = WebhookRequest & {
  triggerId: string;
  token: string;
  requestId: string;
  trace: Span;
  /** As `query`, with lists where a name was sent several times. */
  queryValues: Record<string, unknown>;
  /** Aborted when the sender leaves. */
  signal: AbortSignal;
};

const uuid = z.uuid();
const noToken = Buffer.alloc(32);
// Whoever looks at the list wants to know the day or the minute; the row of a busy webhook is left alone meanwhile.
const noteEveryMs = 10_000;

type Outcome = { id: string } | Ignored;

/** From the address that was called to the run: is it a webhook, is it really from the sender, is it new, and is it on. */
export function createReceiveWebhook({ db, log, believe, judgeEvent, startRun, waitForAnswer }: Options) {
  const answerFrom = createAnswerDelivery(waitForAnswer, log);
  const tables = triggerTables(db);

  async function find({ triggerId, token }: Delivery): Promise<WebhookRow> {
    const row = uuid.safeParse(triggerId).success ? await findWebhook(tables, triggerId) : undefined;
    const isSame = timingSafeEqual(hashToken(token), row?.token_sha256 ?? noToken);
    if (!row || !isSame) throw new Refusal("not_found", "There is no such webhook.");
    return row;
  }

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

  /** One after the other, so that runs have the order of the events. Tells of the first that started, or why the last one did not. */
  async function startAll(row: WebhookRow, signer: Signer | undefined, requests: RunRequest[]): Promise<Outcome> {
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
  }

  return async (delivery: Delivery): Promise<DeliveryAnswer> => {
    const row = await find(delivery);
    const { verdict, signer } = await believe(row, delivery);
    if ("answer" in verdict) return verdict.answer;
    requireMethod(row, delivery.method);
    const special = deliveryOf(row.provider_id);
    const runId = newId();
    const { payload, files } = await readPayload({ ...delivery, body: await decodeBody(delivery) }, runId);
    const atOnce = special?.answerOnly?.(payload);
    if (atOnce) return atOnce;
    const events = signer?.webhook.eventsOf?.({ ...verdict, payload }) ?? [{ ...verdict, payload }];
    const requests = events.map((event, index) => ({
      ...toRunRequest(row, delivery, event),
      ...(index === 0 ? { id: runId, files } : {}),
    }));
    const outcome = await startAll(row, signer, requests);
    if ("reason" in outcome) return answerIgnored(row.provider_id, payload, outcome.reason);
    const { id } = outcome;
    const answered = special?.answer?.(payload) ?? (await answerFrom(row, { runId: id, signal: delivery.signal }));
    return answered ?? { status: 202, contentType: "application/json", body: JSON.stringify({ id }) };
  };
}

function requireMethod(row: WebhookRow, method: string): void {
  const methods: string[] = methodsOf(row);
  if (methods.includes(method)) return;
  throw new Refusal("method_not_allowed", `Deliveries are sent with ${methods.join(" or ")}.`, {
    headers: { Allow: methods.join(", ") },
  });
}

function toRunRequest(row: WebhookRow, delivery: Delivery, event: WebhookEvent): RunRequest {
  const once = onceOf(row, delivery, event);
  const delivered = { ...event, request: describeRequest(delivery) };
  return {
    ...requestOfDelivery(row, delivered, delivery.trace),
    requestId: delivery.requestId,
    ...(once ? { once } : {}),
  };
}

/** A sender that repeats itself may change details of the body, so only the id says whether it is the same delivery. */
function onceOf(row: WebhookRow, { headers, body }: Delivery, { deliveryId }: WebhookEvent): RunRequest["once"] {
  const signedTime = headers[deliveryOf(row.provider_id)?.signedTimeHeader ?? ""];
  const id =
    deliveryId ?? (signedTime === undefined ? undefined : hash(Buffer.concat([Buffer.from(`${signedTime}.`), body])));
  if (id === undefined) return undefined;
  const key = `webhook:${row.id}:${/^[\x21-\x7e]{1,200}$/.test(id) ? id : hash(Buffer.from(id))}`;
  return { key, requestSha256: createHash("sha256").update(key).digest() };
}

const hash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
