import type { SlotState } from "../../../src/slots/slot-store.ts";
import {
  type AcquireOptions,
  acquireLocally,
  addNews,
  type Local,
  type Slot,
  shareOf,
  takeAnswer,
  takeMessage,
  takeNews,
} from "../../../src/slots/slots-local.ts";
import { silentLog } from "../storage/test-postgres.ts";

/** The organization everybody is in. */
export const id = "organization-1";

export type Attempt = {
  slot?: Slot;
  error?: unknown;
  positions: number[];
  leave: (reason: unknown) => void;
  signal: AbortSignal;
};

/** The decisions of one process: the test plays the clock, the callers and the database. */
export function createProcess({ queueLimit = 1_000 } = {}) {
  const clock = { nowMs: 50_000 };
  const lease = { deadlineMs: 59_000, isLost: false };
  const heard = { wakes: 0, capsAsked: [] as string[] };
  const local: Local = {
    shares: new Map(),
    news: new Set(),
    queueLimit,
    log: silentLog,
    monotonicMs: () => clock.nowMs,
    lease: () => lease,
    wake: () => void heard.wakes++,
    askCap: (share) => void heard.capsAsked.push(share.organizationId),
  };
  let version = 0;
  const stateOf = (state: Partial<SlotState>): SlotState => ({
    organizationId: id,
    version: ++version,
    held: 0,
    cap: share().cap ?? 0,
    isContended: false,
    ...state,
  });
  const share = () => shareOf(local, id);

  async function begin(options: Partial<AcquireOptions> = {}): Promise<Attempt> {
    const controller = new AbortController();
    const { signal } = controller;
    const attempt: Attempt = { positions: [], signal, leave: (reason) => controller.abort(reason) };
    const onPosition = (position: number) => void attempt.positions.push(position);
    acquireLocally(local, id, { signal, onPosition, ...options }).then(
      (slot) => Object.assign(attempt, { slot }),
      (error: unknown) => Object.assign(attempt, { error }),
    );
    await settle();
    return attempt;
  }

  async function beginMany(count: number): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    for (let index = 0; index < count; index++) attempts.push(await begin());
    return attempts;
  }

  const process = {
    local,
    clock,
    lease,
    heard,
    share,
    begin,
    beginMany,
    learnCap(cap: number): void {
      Object.assign(share(), { cap, capNews: cap });
      addNews(local, share());
    },
    reports: () => takeNews(local),
    async answer(state: Partial<SlotState>): Promise<void> {
      takeAnswer(local, stateOf(state));
      await settle();
    },
    async hear(state: Partial<SlotState>): Promise<void> {
      takeMessage(local, stateOf(state));
      await settle();
    },
    hasNews: () => local.news.size > 0,
    /** Has a cap, so many permits, and callers that use them all. */
    async use(held: number, cap = held): Promise<Attempt[]> {
      process.learnCap(cap);
      process.reports();
      await process.answer({ held });
      return await beginMany(held);
    },
  };
  return process;
}

export const settle = () => new Promise((resolve) => setImmediate(resolve));
export const isServed = (attempts: Attempt[]) => attempts.map(({ slot }) => slot !== undefined);
