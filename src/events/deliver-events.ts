import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { type AttemptOptions, createAttemptDelivery } from "./attempt-delivery.ts";
import { type ClaimedDelivery, claimDeliveries, disableEndpoint, settleDelivery } from "./delivery-store.ts";
import { eventTables } from "./store.ts";

type Options = AttemptOptions & {
  db: Database;
  pollMs?: number;
  /** After it others take over an attempt that has not ended. Longer than any attempt lasts. */
  leaseMs?: number;
};

const mostPerEndpoint = 4;
const mostInFlight = 64;
const stopLimitMs = 5_000;

/** Sends what is due, at least once and never twice at the same time. Any number of processes may do so on one database. */
export function createDeliverEvents({ db, pollMs = 500, leaseMs = 60_000, ...options }: Options) {
  const { log } = options;
  const tables = eventTables(db);
  const attempt = createAttemptDelivery(options);
  const inFlight = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<void> | undefined;

  /** When how it ended cannot be written, the lease ends and somebody tries again. */
  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    try {
      const { outcome, isGone } = await attempt(delivery, stopping.signal);
      if (isGone) await disableEndpoint(tables, delivery, "The receiver answered with 410 Gone.");
      await settleDelivery(tables, delivery, outcome);
    } catch (error) {
      log.warn(
        { reason: (error as Error).message, deliveryId: delivery.id },
        "the outcome of an event delivery was not recorded",
      );
    }
  }

  async function claim(): Promise<void> {
    const limit = mostInFlight - inFlight.size;
    if (limit === 0) return;
    for (const delivery of await claimDeliveries(db, { id: newId(), leaseMs, mostPerEndpoint, limit })) {
      const sending = deliver(delivery).finally(() => {
        inFlight.delete(sending);
        wake();
      });
      inFlight.add(sending);
    }
  }

  const wake = (): void => {
    if (isStopping) return;
    claiming ??= claim()
      .catch((error: Error) => log.warn({ reason: error.message }, "due events could not be read"))
      .finally(() => (claiming = undefined));
  };

  return {
    start(): void {
      timer = setInterval(wake, pollMs);
      timer.unref();
    },

    /** What is under way gets a moment to end; the rest is tried again later. */
    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      await claiming;
      const patience = new AbortController();
      const tooLong = delay(stopLimitMs, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([Promise.all(inFlight), tooLong]);
      patience.abort();
      stopping.abort(new Refusal("shutting_down", "The server stopped during the attempt."));
      await Promise.all(inFlight);
    },
  };
}
