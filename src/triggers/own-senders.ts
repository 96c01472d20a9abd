import type { Log } from "../base/log.ts";
import type { Webhook } from "../contract/webhook.ts";
import { accountOf, type CallProvider } from "./call-provider.ts";
import { noteOwnSender } from "./own-events-store.ts";
import type { TriggersDb, WebhookRow } from "./store.ts";

type Options = { tables: TriggersDb; log: Log; callProvider: CallProvider };

type Event = { webhook: Webhook; sender: string | undefined };

const minuteMs = 60_000;
/** So many events of one sender in a minute and process make it worth to ask who the account is. */
const askAfter = 5;
const askAgainMs = 24 * 3_600_000;
const askLimitMs = 3_000;
const mostSenders = 10_000;

/** Whether the sender of an event is the account itself, where only the provider can tell. It is asked when a sender is busy, and then once a day. */
export function createOwnSenders({ tables, log, callProvider }: Options) {
  let seen = new Map<string, number>();
  let since = Number.NEGATIVE_INFINITY;

  function isBusy(key: string): boolean {
    const isOver = performance.now() - since > minuteMs || seen.size >= mostSenders;
    if (isOver) [seen, since] = [new Map(), performance.now()];
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    // Not with each of those that follow: where it gets no answer, it would wait for it each time.
    return times % askAfter === 0;
  }

  return async (row: WebhookRow, { webhook, sender }: Event): Promise<boolean> => {
    const { findOwnSender } = webhook;
    if (findOwnSender === undefined || sender === undefined) return false;
    if (isKnown(row)) return row.own_sender === sender;
    if (!isBusy(`${row.id} ${sender}`)) return false;
    try {
      const ownSender = (await callProvider({ ...accountOf(row), limitMs: askLimitMs }, findOwnSender)) ?? null;
      await noteOwnSender(tables, row, ownSender);
      return ownSender === sender;
    } catch (error) {
      log.warn({ triggerId: row.id, reason: (error as Error).message }, "Which sender an account is could not be asked.");
      return false;
    }
  };
}

const isKnown = ({ read_at, own_sender_asked_at: askedAt }: WebhookRow): boolean =>
  askedAt !== null && read_at.getTime() - askedAt.getTime() < askAgainMs;
