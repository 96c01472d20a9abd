import type { SlotReport, SlotState } from "./slot-store.ts";
import type { Waiter } from "./slots-waiter.ts";

/** What this process holds of one organization's permits, who uses them and who waits. */
export type Share<Value> = {
  readonly organizationId: string;
  /** Undefined until it was asked for; until then there is nothing to hold. */
  cap: number | undefined;
  /** Set while the database has not been told. */
  capNews: number | null;
  held: number;
  used: number;
  usedByRuns: number;
  lastUsedAtMs: number;
  /** Others wait or too many permits are out: what is released goes back, and only what is newly granted is used. */
  isContended: boolean;
  version: number;
  isSyncing: boolean;
  /** Heard while a report was under way, whose answer may be newer. */
  postponed: SlotState | undefined;
  /** Waiters the database knows of. */
  ticketsTold: number;
  mustReturnIdle: boolean;
  readonly waiting: Set<Waiter<Value>>;
};

export const createShare = <Value>(organizationId: string): Share<Value> => ({
  organizationId,
  cap: undefined,
  capNews: null,
  held: 0,
  used: 0,
  usedByRuns: 0,
  lastUsedAtMs: 0,
  isContended: false,
  version: 0,
  isSyncing: false,
  postponed: undefined,
  ticketsTold: 0,
  mustReturnIdle: false,
  waiting: new Set(),
});

/** The report to send now. Permits it does not mention are no longer held from this moment on. */
export function takeReport<Value>(share: Share<Value>, nowMs: number): SlotReport {
  share.held = share.isContended || share.mustReturnIdle ? share.used : Math.max(share.held, share.used);
  const wanted = Math.min(share.waiting.size - (share.held - share.used), share.cap ?? 0, maxTickets);
  const waitingMs: number[] = [];
  for (const { sinceMs } of share.waiting) {
    if (waitingMs.length >= wanted) break;
    waitingMs.push(Math.max(0, Math.round(nowMs - sinceMs)));
  }
  const report = { organizationId: share.organizationId, held: share.held, waitingMs, cap: share.capNews };
  share.isSyncing = true;
  share.ticketsTold = waitingMs.length;
  share.mustReturnIdle = false;
  share.capNews = null;
  return report;
}

// More are told when these are served; it keeps a report small.
const maxTickets = 100;

/** Takes over what the database says and returns how many waiters may be served with it. */
export function applyState<Value>(share: Share<Value>, { version, held, cap, isContended }: SlotState): number {
  const granted = held - share.held;
  share.version = version;
  share.held = held;
  share.cap = cap;
  share.isContended = isContended;
  share.ticketsTold = Math.max(0, share.ticketsTold - Math.max(0, granted));
  // Using again what was released meanwhile would starve those who wait elsewhere.
  return isContended ? granted : Number.POSITIVE_INFINITY;
}

export function needsReport<Value>(share: Share<Value>): boolean {
  const { waiting, ticketsTold, held, used, cap = 0 } = share;
  if (share.capNews !== null || (share.isContended && held > used)) return true;
  if (waiting.size < ticketsTold) return true;
  return waiting.size > held - used && ticketsTold === 0 && held < cap;
}

/**
 * How many of those in the queue wait for no more than an answer of the database: as far as this process knows there is a slot for each of them.
 * Once it has said who waits and was granted nothing, or others wait too, there is only what it holds itself.
 */
export function countExpected<Value>({ cap, held, used, isContended, ticketsTold, isSyncing }: Share<Value>): number {
  if (cap === undefined) return Number.POSITIVE_INFINITY;
  const isAnswered = isContended || (ticketsTold > 0 && !isSyncing);
  return Math.max(0, (isAnswered ? held : Math.max(held, cap)) - used);
}

/** A new waiter is news unless its turn cannot come before others of this process are served. */
export const isNewTicketUseful = <Value>({ held, cap = 0, isContended, waiting, ticketsTold }: Share<Value>): boolean =>
  (held < cap || isContended) && ticketsTold < Math.min(waiting.size, cap, maxTickets);

export const isUnneeded = <Value>({ held, used, waiting, ticketsTold, isSyncing, capNews }: Share<Value>): boolean =>
  held === 0 && used === 0 && waiting.size === 0 && ticketsTold === 0 && !isSyncing && capNews === null;

/** For a new connection: everything is said anew, and what is not in use is given back. */
export function prepareToRejoin<Value>(share: Share<Value>, { isLost }: { isLost: boolean }): void {
  if (isLost) {
    share.held = 0;
    share.used = 0;
    share.usedByRuns = 0;
  }
  share.version = 0;
  share.isSyncing = false;
  share.postponed = undefined;
  share.mustReturnIdle = true;
  share.capNews = share.cap ?? null;
}
