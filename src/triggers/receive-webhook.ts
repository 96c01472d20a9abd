import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { WebhookEvent, WebhookRequest } from "../contract/webhook.ts";
import type { ArrivedDelivery, NoteDelivery } from "../deliveries/note-deliveries.ts";
import type { OpenedDeliveries } from "../deliveries/open-deliveries.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { StartRun } from "../runs/accept/start-run.ts";
import type { WaitForAnswer } from "../runs/control/wait-for-answer.ts";
import type { Database } from "../storage/database.ts";
import type { TriggerData } from "../workflows/engine-node.ts";
import { createAnswerDelivery } from "./answer-delivery.ts";
import type { BelieveDelivery } from "./believe-delivery.ts";
import { decodeBody } from "./decode-body.ts";
import type { Ignored, JudgeEvent } from "./judge-event.ts";
import { answerIgnored, type DeliveryAnswer, deliveryOf } from "./provider-deliveries.ts";
import { readPayload } from "./read-payload.ts";
import { describeRequest } from "./request-facts.ts";
import { requestOfDelivery } from "./run-requests.ts";
import { createStartEvents } from "./start-events.ts";
import { findWebhook, triggerTables, type WebhookRow } from "./store.ts";
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
  deliveries: Pick<OpenedDeliveries, "note" | "takeListening">;
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
/** What is known of a delivery by the time it is answered or refused. */
type Seen = { trigger?: TriggerData | undefined; isListened: boolean };

/** `isAside`: it asked for something else than a run, so nobody looks for it among the deliveries. */
type Taken = { answer: DeliveryAnswer; runId?: string; reason?: string; isAside?: true };

/** From the address that was called to the run: is it a webhook, is it really from the sender, is it new, and is it on. */
export function createReceiveWebhook({ db, log, believe, judgeEvent, startRun, waitForAnswer, deliveries }: Options) {
  const answerFrom = createAnswerDelivery(waitForAnswer, log);
  const tables = triggerTables(db);
  const startAll = createStartEvents({ tables, log, judgeEvent, startRun });

  async function find({ triggerId, token }: Delivery): Promise<WebhookRow> {
    const row = uuid.safeParse(triggerId).success ? await findWebhook(tables, triggerId) : undefined;
    const isSame = timingSafeEqual(hashToken(token), row?.token_sha256 ?? noToken);
    if (!row || !isSame) throw new Refusal("not_found", "There is no such webhook.");
    return row;
  }

  async function take(row: WebhookRow, delivery: Delivery, seen: Seen): Promise<Taken> {
    const { verdict, signer } = await believe(row, delivery);
    if ("answer" in verdict) return { answer: verdict.answer, reason: "The service checked the address." };
    requireMethod(row, delivery.method);
    const special = deliveryOf(row.provider_id);
    const runId = newId();
    const { payload, files } = await readPayload({ ...delivery, body: await decodeBody(delivery) }, runId);
    const atOnce = special?.answerOnly?.(payload);
    if (atOnce) return { answer: atOnce, isAside: true };
    const events = signer?.webhook.eventsOf?.({ ...verdict, payload }) ?? [{ ...verdict, payload }];
    const requests = events.map((event, index) => ({
      ...toRunRequest(row, delivery, event),
      ...(index === 0 ? { id: runId, files } : {}),
    }));
    seen.trigger = requests[0]?.trigger;
    seen.isListened = row.is_listened && (await deliveries.takeListening(placeOf(row)));
    const outcome = await startAll(row, signer, requests).catch((error: unknown) => onlyShown(error, seen));
    if ("reason" in outcome)
      return { answer: answerIgnored(row.provider_id, payload, outcome.reason), reason: outcome.reason };
    const { id } = outcome;
    const answered = special?.answer?.(payload) ?? (await answerFrom(row, { runId: id, signal: delivery.signal }));
    const accepted = { status: 202, contentType: "application/json", body: JSON.stringify({ id }) };
    return { answer: answered ?? accepted, runId: id };
  }

  return async (delivery: Delivery): Promise<DeliveryAnswer> => {
    const row = await find(delivery);
    const seen: Seen = { isListened: false };
    const about = () => ({ ...describeArrival(row, delivery), ...seen });
    const taken = await take(row, delivery, seen).catch((error: unknown) => {
      noteRefused(deliveries.note, about(), error);
      throw error;
    });
    const { answer, runId, reason, isAside } = taken;
    const outcome = runId === undefined ? ("ignored" as const) : ("started" as const);
    const noted = isAside || deliveries.note({ ...about(), status: answer.status, outcome, runId, reason });
    // Somebody waits for it in front of a page.
    if (seen.isListened) await noted;
    return answer;
  };
}

function noteRefused(note: NoteDelivery, about: Omit<ArrivedDelivery, "status" | "outcome">, error: unknown): void {
  const { status, message } = error instanceof Refusal ? error : { status: 500, message: "The server failed." };
  // Without a database there is nowhere to write it down.
  if (status !== 503) void note({ ...about, status, outcome: "refused", reason: message });
}

const placeOf = ({ organization_id, id }: WebhookRow) => ({ organizationId: organization_id, triggerId: id });

const describeArrival = (row: WebhookRow, { method, headers, body }: Delivery) => ({
  ...placeOf(row),
  method,
  contentType: headers["content-type"],
  bytes: body.length,
});

/** Why there is nothing yet that a delivery could start. */
const startsNothing: readonly string[] = ["trigger_off", "workflow_inactive", "workflow_not_published"];

/** Whoever listens builds something that is not on yet: the event is shown, and its sender hears that all is well. */
function onlyShown(error: unknown, { isListened }: Seen): Ignored {
  if (!isListened || !(error instanceof Refusal) || !startsNothing.includes(error.code)) throw error;
  return { reason: `It is only shown to who listens. ${error.message}`, isFault: false };
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
