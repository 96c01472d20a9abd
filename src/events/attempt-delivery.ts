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
    const failed = (said: Failure) => ({ outcome: failedAttempt(delivery, said), isGone: false });
    let response: Response;
    try {
      response = await send(delivery, signal);
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error }, "an event could not be sent");
      return failed({
        last_status: null,
        last_error: error instanceof Refusal ? error.message : "The event could not be sent.",
      });
    }
    // What the receiver has to say beyond the status is of no use here.
    await response.body?.cancel().catch(() => {});
    const { status: last_status, headers } = response;
    if (response.ok) return { outcome: { status: "delivered", last_status, last_error: null }, isGone: false };
    const last_error = `The receiver answered with ${last_status}.`;
    if (last_status === 410) return { outcome: { status: "failed", last_status, last_error }, isGone: true };
    return failed({ last_status, last_error, retryAfterMs: readRetryAfterMs(headers, clock.now().getTime()) });
  };
}

/** The same bytes in every attempt: `payload` is already the text of a JSON value. */
const bodyOf = ({ type, createdAt, payload }: ClaimedDelivery): string =>
  `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt.toISOString())},"data":${payload}}`;

type Failure = Pick<Outcome, "last_status" | "last_error"> & { retryAfterMs?: number | undefined };

function failedAttempt({ attempts }: ClaimedDelivery, { retryAfterMs = 0, ...said }: Failure): Outcome {
  const delayMs = retryDelaysMs[attempts - 1];
  if (delayMs === undefined) return { ...said, status: "failed" };
  return { ...said, status: "pending", waitMs: Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs)) };
}
