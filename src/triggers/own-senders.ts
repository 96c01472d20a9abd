import type { Log } from "../base/log.ts";
import type { Webhook } from "../contract/webhook.ts";
import { accountOf, type CallProvider } from "./call-provider.ts";
import { noteOwnSender } from "./own-events-store.ts";
import type { TriggersDb, WebhookRow } from "./store.ts";

type Options = { tables: TriggersDb; log: Log; callProvider: CallProvider };

type FindOwnSender = NonNullable<Webhook["findOwnSender"]>;
type Event = { webhook: Webhook; sender: string | undefined };

const minuteMs = 60_000;
/** So many events of one sender in a minute and process make it worth to ask who the account is. */
const askAfter = 5;
const askAgainMs = 24 * 3_600_000;
const askLimitMs = 3_000;
const askAfterFailureMs = 10 * 60_000;
const mostSenders = 2_000;

/** Whether the sender of an event is the account itself, where only the provider can tell. It is asked when a sender is busy, and then once a day. */
export function createOwnSenders({ tables, log, callProvider }: Options) {
  /** By organization, so that many senders of one do not make those of another forgotten. */
  let seen = new Map<string, Map<string, number>>();
  let since = Number.NEGATIVE_INFINITY;

  const failedAt = new Map<string, number>();

  /** Whoever could not be asked is left alone for a while: deliveries wait for the answer. */
  function isRefusing(triggerId: string): boolean {
    const at = failedAt.get(triggerId);
    if (at === undefined || performance.now() - at < askAfterFailureMs) return at !== undefined;
    failedAt.delete(triggerId);
    return false;
  }

  function isBusy(organizationId: string, key: string): boolean {
    if (performance.now() - since > minuteMs) {
      seen = new Map();
      since = performance.now();
    }
    const known = seen.get(organizationId);
    const own = known && known.size < mostSenders ? known : new Map<string, number>();
    if (own !== known) seen.set(organizationId, own);
    const times = (own.get(key) ?? 0) + 1;
    own.set(key, times);
    // Not with each of those that follow: where it gets no answer, it would wait for it each time.
    return times % askAfter === 0;
  }

  async function ask(row: WebhookRow, findOwnSender: FindOwnSender): Promise<string | null> {
    try {
      const ownSender = (await callProvider({ ...accountOf(row), limitMs: askLimitMs }, findOwnSender)) ?? null;
      await noteOwnSender(tables, row, ownSender);
      return ownSender;
    } catch (error) {
      if (failedAt.size >= mostSenders) failedAt.clear();
      failedAt.set(row.id, performance.now());
      log.warn(
        { triggerId: row.id, reason: (error as Error).message },
        "Which sender an account is could not be asked.",
      );
      return null;
    }
  }

  return async (row: WebhookRow, { webhook, sender }: Event): Promise<boolean> => {
    const { findOwnSender } = webhook;
    if (findOwnSender === undefined || sender === undefined) return false;
    if (isKnown(row)) return row.own_sender === sender;
    if (!isBusy(row.organization_id, `${row.id} ${sender}`) || isRefusing(row.id)) return false;
    return (await ask(row, findOwnSender)) === sender;
  };
}

const isKnown = ({ read_at, own_sender_asked_at: askedAt }: WebhookRow): boolean =>
  askedAt !== null && read_at.getTime() - askedAt.getTime() < askAgainMs;
