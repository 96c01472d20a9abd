import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { SlotReport, SlotState } from "./slot-store.ts";
import type { Lease } from "./slots-session.ts";
import {
  applyState,
  countExpected,
  createShare,
  isNewTicketUseful,
  isUnneeded,
  needsReport,
  prepareToRejoin,
  type Share,
  takeReport,
} from "./slots-share.ts";
import { createWaiter, type SlotKind } from "./slots-waiter.ts";

export type Slot = {
  /** How long the call waited for it. */
  queueMs: number;
  /** To be called before every outbound step: throws when the permit may belong to another process by now. */
  assertHeld(): void;
  /** May be called again, and never throws. */
  release(): void;
};

export type AcquireOptions = {
  signal: AbortSignal;
  /** Told when the call begins to wait, and later when its place in the queue of this process has changed. */
  onPosition?: (position: number) => void;
  /** A run waits also when the queue is full, because nobody could ask it to come again later. */
  kind?: SlotKind;
};

/** The permits and the queues of this process. */
export type Local = {
  readonly shares: Map<string, Share<Slot>>;
  /** Organizations with something to report. */
  readonly news: Set<Share<Slot>>;
  readonly queueLimit: number;
  readonly monotonicMs: () => number;
  readonly log: Log;
  readonly lease: () => Lease;
  readonly wake: () => void;
  readonly askCap: (share: Share<Slot>) => void;
};

export async function acquireLocally(
  local: Local,
  organizationId: string,
  { signal, onPosition, kind = "call" }: AcquireOptions,
): Promise<Slot> {
  signal.throwIfAborted();
  const share = shareOf(local, organizationId);
  const sinceMs = local.monotonicMs();
  if (share.waiting.size === 0 && !share.isContended && canServe(local, share))
    return takeSlot(local, share, { kind, queueMs: 0 });
  if (kind === "call" && share.waiting.size >= local.queueLimit + countExpected(share))
    throw queueFull(local.queueLimit);
  const waiter = createWaiter<Slot>({
    kind,
    signal,
    sinceMs,
    onPosition,
    onLeave(left) {
      share.waiting.delete(left);
      reportIfNeeded(local, share);
    },
  });
  share.waiting.add(waiter);
  if (share.cap === undefined) {
    if (share.waiting.size === 1) local.askCap(share);
  } else if (isNewTicketUseful(share)) addNews(local, share);
  const position = share.waiting.size - countExpected(share);
  if (position > 0) waiter.tellPosition(position);
  return await waiter.promise;
}

const queueFull = (limit: number) =>
  new Refusal("queue_full", `${limit} calls of this organization wait for a slot already.`, {
    headers: { "Retry-After": "1" },
  });

export function shareOf(local: Local, organizationId: string): Share<Slot> {
  const known = local.shares.get(organizationId);
  if (known) return known;
  const share = createShare<Slot>(organizationId);
  local.shares.set(organizationId, share);
  return share;
}

export function addNews(local: Local, share: Share<Slot>): void {
  local.news.add(share);
  local.wake();
}

export const isLeaseValid = ({ lease, monotonicMs }: Local): boolean =>
  !lease().isLost && monotonicMs() < lease().deadlineMs;

const canServe = (local: Local, { used, held }: Share<Slot>): boolean => used < held && isLeaseValid(local);

function takeSlot(local: Local, share: Share<Slot>, { kind, queueMs }: { kind: SlotKind; queueMs: number }): Slot {
  const lease = local.lease();
  let isReleased = false;
  share.used += 1;
  if (kind === "run") share.usedByRuns += 1;
  share.lastUsedAtMs = local.monotonicMs();
  return {
    queueMs,
    assertHeld() {
      if (isReleased || lease.isLost || local.monotonicMs() >= lease.deadlineMs)
        throw new Refusal(
          "slot_lost",
          "The slot of this call was lost: its process was out of touch with the database for too long.",
        );
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      // With the lease went the count of what is used.
      if (lease.isLost) return;
      share.used -= 1;
      if (kind === "run") share.usedByRuns -= 1;
      if (!share.isContended) serve(local, share, Number.POSITIVE_INFINITY);
      reportIfNeeded(local, share);
    },
  };
}

function serve(local: Local, share: Share<Slot>, limit: number): void {
  let served = 0;
  for (const waiter of share.waiting) {
    if (served >= limit || !canServe(local, share)) return;
    served += 1;
    share.waiting.delete(waiter);
    waiter.grant(takeSlot(local, share, { kind: waiter.kind, queueMs: local.monotonicMs() - waiter.sinceMs }));
  }
}

export function reportIfNeeded(local: Local, share: Share<Slot>): void {
  if (share.cap !== undefined && needsReport(share)) addNews(local, share);
}

/** The answer to this process's own report. */
export function takeAnswer(local: Local, state: SlotState): void {
  const share = local.shares.get(state.organizationId);
  if (!share) return;
  const { postponed } = share;
  share.isSyncing = false;
  share.postponed = undefined;
  takeState(local, share, state);
  if (postponed) takeMessage(local, postponed);
  forgetIfUnneeded(local, share);
}

function forgetIfUnneeded(local: Local, share: Share<Slot>): void {
  if (isUnneeded(share) && !local.news.has(share)) local.shares.delete(share.organizationId);
}

/** Something changed here because of another process's report. */
export function takeMessage(local: Local, state: SlotState): void {
  const share = local.shares.get(state.organizationId);
  // Granted to somebody who has left since; said so by a report that holds nothing.
  if (!share) local.askCap(shareOf(local, state.organizationId));
  else if (share.isSyncing) {
    if (state.version > (share.postponed?.version ?? 0)) share.postponed = state;
  } else if (state.version > share.version) takeState(local, share, state);
}

function takeState(local: Local, share: Share<Slot>, state: SlotState): void {
  serve(local, share, applyState(share, state));
  refuseSurplus(local, share);
  tellPositions(share);
  reportIfNeeded(local, share);
}

/** There was no slot for some that seemed to find one: they would have been refused at once, had it been known. */
function refuseSurplus({ queueLimit }: Local, share: Share<Slot>): void {
  const most = queueLimit + countExpected(share);
  let before = 0;
  for (const waiter of share.waiting) {
    if (waiter.kind === "run" || before < most) before += 1;
    else {
      share.waiting.delete(waiter);
      waiter.refuse(queueFull(queueLimit));
    }
  }
}

/** Of those who really wait; the others are served with the next answer. */
export function tellPositions(share: Share<Slot>): void {
  let position = -countExpected(share);
  for (const waiter of share.waiting) if (++position > 0) waiter.tellPosition(position);
}

export function takeNews(local: Local): SlotReport[] {
  const reports: SlotReport[] = [];
  for (const share of local.news) {
    if (reports.length >= maxReports) break;
    local.news.delete(share);
    if (share.cap !== undefined) reports.push(takeReport(share, local.monotonicMs()));
  }
  return reports;
}

// Keeps the transaction short that locks these organizations.
const maxReports = 200;

export function takeEverything(local: Local, session: { isLost: boolean }): SlotReport[] {
  local.news.clear();
  const known = [...local.shares.values()].filter(({ cap }) => cap !== undefined);
  for (const share of known) prepareToRejoin(share, session);
  return known.map((share) => takeReport(share, local.monotonicMs()));
}

/** Ends the wait of everybody in this organization's queue; what is in use stays in use. */
export function refuseWaiters(local: Local, share: Share<Slot>, error: unknown): void {
  for (const waiter of share.waiting) waiter.refuse(error);
  share.waiting.clear();
  forgetIfUnneeded(local, share);
}
