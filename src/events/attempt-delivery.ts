import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { readRetryAfterMs } from "../contract/retry-after.ts";
import type { ClaimedDelivery, Outcome } from "./delivery-store.ts";
import type { OpenSecrets } from "./endpoints.ts";
import { signEvent } from "./sign-event.ts";

export type AttemptOptions = {
  clock: Clock;
  log: Log;
  /** By protocol, because unencrypted is only what the operator allows. */
  fetchFor: { https: SafeFetch; http: SafeFetch };
  openSecrets: OpenSecrets;
};

const answerLimitMs = 20_000;
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const retryDelaysMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs];
const longestRetryAfterMs = 24 * hourMs;

/** Sends one event once and says what becomes of the delivery. `isGone`: the receiver wants no more of them. */
export function createAttemptDelivery({ clock, log, fetchFor, openSecrets }: AttemptOptions) {
  async function send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Response> {
    const body = bodyOf(delivery);
    const signature = signEvent({ id: delivery.eventId, sentAt: clock.now(), body }, openSecrets(delivery));
    return await fetchFor[delivery.url.startsWith("http:") ? "http" : "https"](delivery.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signature },
      body,
      signal,
      timeoutMs: answerLimitMs,
    });
  }

  return async (delivery: ClaimedDelivery, signal: AbortSignal): Promise<{ outcome: Outcome; isGone: boolean }> => {
    const failed = (said: Failure) => ({ outcome: failedAttempt(delivery, clock.now(), said), isGone: false });
    let response: Response;
    try {
      response = await send(delivery, signal);
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error }, "an event could not be sent");
      return failed({ last_status: null, last_error: error instanceof Refusal ? error.message : "The event could not be sent." });
    }
    // What the receiver has to say beyond the status is of no use here.
    await response.body?.cancel().catch(() => {});
    const { status: last_status, headers } = response;
    const ended = { next_attempt_at: null, last_status };
    if (response.ok) return { outcome: { ...ended, status: "delivered", last_error: null, delivered_at: clock.now() }, isGone: false };
    const last_error = `The receiver answered with ${last_status}.`;
    if (last_status === 410) return { outcome: { ...ended, status: "failed", last_error, delivered_at: null }, isGone: true };
    return failed({ last_status, last_error, retryAfterMs: readRetryAfterMs(headers, clock.now().getTime()) });
  };
}

/** The same bytes in every attempt: `payload` is already the text of a JSON value. */
const bodyOf = ({ type, createdAt, payload }: ClaimedDelivery): string =>
  `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt.toISOString())},"data":${payload}}`;

type Failure = Pick<Outcome, "last_status" | "last_error"> & { retryAfterMs?: number | undefined };

function failedAttempt({ attempts }: ClaimedDelivery, now: Date, { retryAfterMs = 0, ...said }: Failure): Outcome {
  const delayMs = retryDelaysMs[attempts - 1];
  if (delayMs === undefined) return { ...said, status: "failed", next_attempt_at: null, delivered_at: null };
  const waitMs = Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs));
  return { ...said, status: "pending", next_attempt_at: new Date(now.getTime() + waitMs), delivered_at: null };
}
