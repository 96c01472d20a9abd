import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { silentLog } from "../storage/test-postgres.ts";
import type { SlotState } from "./slot-store.ts";
import {
  type AcquireOptions,
  acquireLocally,
  addNews,
  type Local,
  refuseWaiters,
  type Slot,
  shareOf,
  takeAnswer,
  takeEverything,
  takeMessage,
  takeNews,
} from "./slots-local.ts";

const id = "organization-1";

type Attempt = { slot?: Slot; error?: unknown; positions: number[]; leave: (reason: unknown) => void; signal: AbortSignal };

/** The decisions of one process: the test plays the clock, the callers and the database. */
function createProcess({ queueLimit = 1_000 } = {}) {
  const clock = { nowMs: 50_000 };
  const lease = { deadlineMs: 59_000, isLost: false };
  const heard = { wakes: 0, capsAsked: [] as string[] };
  const local: Local = {
    ...{ shares: new Map(), news: new Set(), queueLimit, log: silentLog, monotonicMs: () => clock.nowMs, lease: () => lease },
    wake: () => void heard.wakes++,
    askCap: (share) => void heard.capsAsked.push(share.organizationId),
  };
  let version = 0;
  const stateOf = (state: Partial<SlotState>): SlotState => ({
    ...{ organizationId: id, version: ++version, held: 0, cap: share().cap ?? 0, isContended: false },
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
    ...{ local, clock, lease, heard, share, begin, beginMany },
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

const settle = () => new Promise((resolve) => setImmediate(resolve));
const isServed = (attempts: Attempt[]) => attempts.map(({ slot }) => slot !== undefined);

describe("a caller", () => {
  it("waits until the cap is known, which is asked for once, and is granted what the database gives", async () => {
    const { begin, heard, reports, learnCap, hasNews, answer, clock, share } = createProcess();
    const first = await begin();
    expect(heard.capsAsked).toEqual([id]);
    const attempts = [first, await begin()];
    expect([heard.capsAsked, hasNews(), reports(), heard.wakes]).toEqual([[id], false, [], 0]);
    expect(attempts.map(({ positions }) => positions)).toEqual([[1], [2]]);
    learnCap(2);
    expect(heard.wakes).toBe(1);
    clock.nowMs += 10.6;
    expect(reports()).toEqual([{ organizationId: id, held: 0, waitingMs: [11, 11], cap: 2 }]);
    clock.nowMs += 20;
    await answer({ held: 2 });
    expect(attempts.map(({ slot }) => Math.round(slot?.queueMs ?? 0))).toEqual([31, 31]);
    expect(share()).toMatchObject({ held: 2, used: 2, usedByRuns: 0, lastUsedAtMs: clock.nowMs, ticketsTold: 0 });
    expect([hasNews(), heard.capsAsked]).toEqual([false, [id]]);
  });

  it("is not reported before the cap is known", async () => {
    const { begin, reports, local, share, hasNews } = createProcess();
    const attempt = await begin();
    addNews(local, share());
    expect([reports(), hasNews()]).toEqual([[], false]);
    attempt.leave("gone");
    expect(hasNews()).toBe(false);
  });

  it("takes a free permit at once and tells nobody", async () => {
    const { use, begin, hasNews, heard, share } = createProcess();
    const [first] = await use(1, 2);
    first?.slot?.release();
    const wakesBefore = heard.wakes;
    const next = await begin({ kind: "run" });
    expect([next.slot?.queueMs, next.positions, hasNews(), heard.wakes]).toEqual([0, [], false, wakesBefore]);
    expect(share()).toMatchObject({ used: 1, usedByRuns: 1 });
    next.slot?.release();
    expect(share()).toMatchObject({ used: 0, usedByRuns: 0, held: 1 });
  });

  it("who gave up before it came is turned away with its reason", async () => {
    const { begin, local } = createProcess();
    const { error } = await begin({ signal: AbortSignal.abort("gone") });
    expect([error, local.shares.size]).toEqual(["gone", 0]);
  });

  it("does not overtake those who wait", async () => {
    const { use, begin, lease, clock } = createProcess();
    const [first] = await use(1);
    first?.slot?.release();
    lease.deadlineMs = clock.nowMs;
    const waiting = await begin();
    lease.deadlineMs += 1;
    expect(isServed([waiting, await begin()])).toEqual([false, false]);
  });

  it("gets no permit that was given back while others wait for it elsewhere", async () => {
    const { use, begin, hear, hasNews, reports } = createProcess();
    const [first] = await use(1);
    await hear({ held: 1, isContended: true });
    first?.slot?.release();
    expect(isServed([await begin()])).toEqual([false]);
    expect(hasNews()).toBe(true);
    expect(reports()).toEqual([{ organizationId: id, held: 0, waitingMs: [0], cap: null }]);
  });

  it.each([
    ["has ended", { deadlineMs: 50_000 }],
    ["is lost", { isLost: true }],
  ])("gets no permit when the lease %s", async (_, change) => {
    const { use, begin, lease } = createProcess();
    const [first] = await use(1);
    first?.slot?.release();
    Object.assign(lease, change);
    expect(isServed([await begin()])).toEqual([false]);
  });

  it("is refused by a full queue, unless it is a run", async () => {
    const { use, begin } = createProcess({ queueLimit: 1 });
    const [first] = await use(1);
    const [waiting, refused, run] = [await begin(), await begin(), await begin({ kind: "run" })];
    const message = "1 calls of this organization wait for a slot already.";
    expect(refused.error).toMatchObject({ code: "queue_full", message, headers: { "Retry-After": "1" } });
    expect([waiting.error, run.positions]).toEqual([undefined, [2]]);
    first?.slot?.release();
    await settle();
    waiting.slot?.release();
    await settle();
    expect(run.slot).toBeDefined();
  });
});

describe("a new waiter is news", () => {
  it("while the cap leaves something to be had, and only so many as it leaves", async () => {
    const { use, begin, hasNews, reports } = createProcess();
    await use(1, 2);
    for (const waitingMs of [[0], [0, 0]]) {
      await begin();
      expect(hasNews()).toBe(true);
      expect(reports()).toEqual([{ organizationId: id, held: 1, waitingMs, cap: null }]);
    }
    await begin();
    expect(hasNews()).toBe(false);
  });

  it("never when this process holds everything, unless others wait too", async () => {
    const { use, begin, hasNews, hear } = createProcess();
    await use(1);
    await begin();
    expect(hasNews()).toBe(false);
    await hear({ held: 1, isContended: true });
    expect(hasNews()).toBe(false);
    await begin();
    expect(hasNews()).toBe(true);
  });

  it("no more when a hundred are told", async () => {
    const { learnCap, beginMany, reports, begin, hasNews, answer } = createProcess();
    learnCap(200);
    const attempts = await beginMany(150);
    expect(reports()[0]?.waitingMs).toHaveLength(100);
    await begin();
    expect(hasNews()).toBe(false);
    await answer({ held: 100 });
    expect(isServed(attempts).filter(Boolean)).toHaveLength(100);
    expect(reports()[0]).toMatchObject({ held: 100, waitingMs: Array.from({ length: 51 }, () => 0) });
  });
});

describe("a slot", () => {
  it("is held until its deadline, its loss or its release", async () => {
    const { use, lease, clock } = createProcess();
    const [one, two] = await use(2);
    const lost = {
      code: "slot_lost",
      message: "The slot of this call was lost: its process was out of touch with the database for too long.",
    };
    clock.nowMs = lease.deadlineMs - 1;
    one?.slot?.assertHeld();
    clock.nowMs = lease.deadlineMs;
    expect(() => one?.slot?.assertHeld()).toThrow(expect.objectContaining(lost));
    lease.deadlineMs += 1;
    two?.slot?.release();
    expect(() => two?.slot?.assertHeld()).toThrow(expect.objectContaining(lost));
    one?.slot?.assertHeld();
    lease.isLost = true;
    expect(() => one?.slot?.assertHeld()).toThrow(expect.objectContaining(lost));
  });

  it("goes to the next who waits, once", async () => {
    const { use, beginMany, share, clock, hasNews } = createProcess();
    const [first] = await use(1);
    const waiting = await beginMany(2);
    clock.nowMs += 5;
    first?.slot?.release();
    first?.slot?.release();
    await settle();
    expect(isServed(waiting)).toEqual([true, false]);
    expect([waiting[0]?.slot?.queueMs, share().used, share().waiting.size, hasNews()]).toEqual([5, 1, 1, false]);
  });

  it("goes back, and not to the next, when others wait elsewhere", async () => {
    const { use, begin, hear, reports, answer } = createProcess();
    const [first] = await use(2);
    await hear({ held: 2, isContended: true });
    const waiting = await begin();
    reports();
    await answer({ held: 2, isContended: true });
    first?.slot?.release();
    expect(reports()).toEqual([{ organizationId: id, held: 1, waitingMs: [0], cap: null }]);
    expect(waiting.slot).toBeUndefined();
    await answer({ held: 2, isContended: true });
    expect(waiting.slot).toBeDefined();
  });

  it("that was lost changes no count when it is released", async () => {
    const { use, begin, local, lease, share } = createProcess();
    const [first] = await use(1);
    const run = await begin({ kind: "run" });
    first?.slot?.release();
    await settle();
    expect(share()).toMatchObject({ used: 1, usedByRuns: 1 });
    lease.isLost = true;
    expect(takeEverything(local, { isLost: true })).toEqual([{ organizationId: id, held: 0, waitingMs: [], cap: 1 }]);
    expect(share()).toMatchObject({ held: 0, used: 0, usedByRuns: 0 });
    run.slot?.release();
    expect(share()).toMatchObject({ used: 0, usedByRuns: 0 });
  });
});

describe("a report", () => {
  it("asks only for what the permits at hand do not cover, with the oldest first and no age below zero", async () => {
    const { use, beginMany, local, share, reports, lease, clock } = createProcess();
    const [first] = await use(1, 5);
    first?.slot?.release();
    lease.deadlineMs = 0;
    await beginMany(2);
    clock.nowMs -= 10;
    await beginMany(1);
    addNews(local, share());
    expect(reports()).toEqual([{ organizationId: id, held: 1, waitingMs: [0, 0], cap: null }]);
  });

  it("asks for no more than the cap", async () => {
    const { learnCap, beginMany, reports } = createProcess();
    learnCap(3);
    await beginMany(10);
    expect(reports()).toEqual([{ organizationId: id, held: 0, waitingMs: [0, 0, 0], cap: 3 }]);
  });

  it("gives back what is idle when that is asked for, and keeps it otherwise", async () => {
    const { use, local, share, reports } = createProcess();
    const [first] = await use(2);
    first?.slot?.release();
    const heldAfter = (mustReturnIdle: boolean) => {
      share().mustReturnIdle = mustReturnIdle;
      addNews(local, share());
      return [reports()[0]?.held, share().held, share().mustReturnIdle];
    };
    expect(heldAfter(false)).toEqual([2, 2, false]);
    expect(heldAfter(true)).toEqual([1, 1, false]);
  });

  it("says what is in use although the cap was lowered below that", async () => {
    const { use, hear, reports, local, share } = createProcess();
    await use(2);
    await hear({ held: 1, cap: 1 });
    addNews(local, share());
    expect(reports()).toMatchObject([{ held: 2 }]);
  });

  it("has two hundred organizations at most, and the rest comes next", () => {
    const { local, reports } = createProcess();
    for (let index = 0; index < 203; index++) addNews(local, Object.assign(shareOf(local, `organization-${index}`), { cap: 1 }));
    expect([reports().length, reports().length, reports().length]).toEqual([200, 3, 0]);
  });

  it("has everything again for a new connection: what is in use, who waits and the cap", async () => {
    const { use, begin, local, share, hasNews, hear } = createProcess();
    const [first] = await use(2);
    shareOf(local, "organization-without-cap");
    first?.slot?.release();
    await hear({ version: 900, held: 2, isContended: true });
    await begin();
    addNews(local, share());
    expect(takeEverything(local, { isLost: false })).toEqual([{ organizationId: id, held: 1, waitingMs: [0], cap: 2 }]);
    expect([hasNews(), share()]).toMatchObject([false, { held: 1, used: 1, version: 0, capNews: null, isSyncing: true }]);
  });

  it("for a new connection returns what is idle, and forgets what was heard on the old one", async () => {
    const { use, local, share, reports, hear, answer } = createProcess();
    const [first] = await use(2);
    first?.slot?.release();
    addNews(local, share());
    reports();
    await hear({ version: 900, held: 7 });
    expect(takeEverything(local, { isLost: false })).toEqual([{ organizationId: id, held: 1, waitingMs: [], cap: 2 }]);
    await answer({ version: 1, held: 1 });
    expect(share()).toMatchObject({ held: 1, version: 1, isSyncing: false });
  });
});

describe("what the database says", () => {
  it("counts by its version, and waits while an own report is under way", async () => {
    const { use, hear, share, local, reports, answer } = createProcess();
    await use(1, 9);
    await hear({ version: 10, held: 2 });
    for (const version of [10, 9]) await hear({ version, held: 3 });
    expect(share()).toMatchObject({ version: 10, held: 2 });
    addNews(local, share());
    reports();
    await hear({ version: 13, held: 4 });
    await hear({ version: 12, held: 5 });
    expect(share()).toMatchObject({ version: 10, held: 2 });
    await answer({ version: 11, held: 6 });
    expect(share()).toMatchObject({ version: 13, held: 4, isSyncing: false, heldBack: undefined });
    addNews(local, share());
    reports();
    await hear({ version: 14, held: 7 });
    await answer({ version: 15, held: 8 });
    expect(share()).toMatchObject({ version: 15, held: 8 });
  });

  it("about an organization that was forgotten is not believed: the cap is asked for, to report that nothing is held", async () => {
    const { local, hear, heard, share } = createProcess();
    local.shares.clear();
    takeAnswer(local, { organizationId: id, version: 1, held: 1, cap: 1, isContended: false });
    expect([local.shares.size, heard.capsAsked]).toEqual([0, []]);
    takeMessage(local, { organizationId: id, version: 1, held: 1, cap: 1, isContended: false });
    expect([heard.capsAsked, share().held]).toEqual([[id], 0]);
    await hear({ held: 1, cap: 1 });
    expect([heard.capsAsked, share().held]).toEqual([[id], 1]);
  });

  it("serves no more than it newly grants while others wait elsewhere, and everybody it can otherwise", async () => {
    const { use, hear, beginMany, reports, answer, hasNews, share } = createProcess();
    const using = await use(2, 4);
    await hear({ held: 2, isContended: true });
    const waiting = await beginMany(3);
    reports();
    using[0]?.slot?.release();
    await answer({ held: 3, isContended: true });
    expect(isServed(waiting)).toEqual([true, false, false]);
    expect([share().used, share().held, hasNews()]).toEqual([2, 3, true]);
    await hear({ version: 100, held: 4, isContended: false });
    expect(isServed(waiting)).toEqual([true, true, true]);
  });

  it("takes a grant off the tickets, but not a loss", async () => {
    const { use, beginMany, reports, answer, share } = createProcess();
    await use(2, 9);
    await beginMany(3);
    reports();
    await answer({ held: 1 });
    expect(share().ticketsTold).toBe(3);
    await answer({ held: 2 });
    expect(share().ticketsTold).toBe(2);
    await answer({ held: 9 });
    expect(share().ticketsTold).toBe(0);
  });
});

describe("an organization", () => {
  it("is forgotten when an answer leaves nothing to remember", async () => {
    const { learnCap, reports, answer, local } = createProcess();
    learnCap(1);
    reports();
    await answer({ held: 0 });
    expect(local.shares.size).toBe(0);
  });

  it.each([
    ["a permit is held", { held: 1 }],
    ["one is in use", { used: 1 }],
    ["the database knows of waiters", { ticketsTold: 1 }],
    ["a report is under way", { isSyncing: true }],
    ["the cap was not told yet", { capNews: 1 }],
  ])("is remembered while %s", (_, state) => {
    const { local, share } = createProcess();
    refuseWaiters(local, Object.assign(share(), state), "no");
    expect(local.shares.size).toBe(1);
    refuseWaiters(local, Object.assign(share(), { held: 0, used: 0, ticketsTold: 0, isSyncing: false, capNews: null }), "no");
    expect(local.shares.size).toBe(0);
  });

  it("is remembered while it has news", async () => {
    const { local, share, learnCap, reports, answer } = createProcess();
    learnCap(1);
    reports();
    addNews(local, share());
    await answer({ held: 0 });
    expect(local.shares.size).toBe(1);
  });

  it("is remembered while somebody waits, also for nothing, and forgotten when everybody was refused", async () => {
    const { local, share, learnCap, reports, answer, begin } = createProcess();
    learnCap(0);
    const waiting = await begin();
    expect(reports()).toEqual([{ organizationId: id, held: 0, waitingMs: [], cap: 0 }]);
    await answer({ held: 0 });
    expect([local.shares.size, waiting.error]).toEqual([1, undefined]);
    refuseWaiters(local, share(), "no");
    await settle();
    expect([local.shares.size, waiting.error]).toEqual([0, "no"]);
  });

  it("that nobody knows is forgotten with its waiters", async () => {
    const { local, share, begin } = createProcess();
    await begin();
    refuseWaiters(local, share(), "no");
    expect(local.shares.size).toBe(0);
  });
});

describe("a waiter", () => {
  it("who leaves is taken back from the database if it was told", async () => {
    const { use, begin, reports, answer, hasNews, share } = createProcess();
    await use(1, 3);
    const told = await begin();
    reports();
    await answer({ held: 1 });
    expect(hasNews()).toBe(false);
    told.leave("gone");
    await settle();
    expect([told.error, share().waiting.size, hasNews()]).toEqual(["gone", 0, true]);
    expect(reports()).toMatchObject([{ waitingMs: [] }]);
  });

  it("who leaves untold is no news", async () => {
    const { use, begin, hasNews } = createProcess();
    await use(1);
    (await begin()).leave("gone");
    expect(hasNews()).toBe(false);
  });

  it("is no longer listened to once it was served, refused or has left", async () => {
    const { use, beginMany, local, share } = createProcess();
    const [first] = await use(1);
    const [served, left, refused] = await beginMany(3);
    const listeners = () => [served, left, refused].map((one) => getEventListeners(one?.signal as AbortSignal, "abort").length);
    expect(listeners()).toEqual([1, 1, 1]);
    first?.slot?.release();
    left?.leave("gone");
    refuseWaiters(local, share(), "no");
    await settle();
    expect(listeners()).toEqual([0, 0, 0]);
    expect([served?.slot !== undefined, left?.error, refused?.error, share().waiting.size]).toEqual([true, "gone", "no", 0]);
    served?.leave("gone");
    expect([share().used, served?.error]).toEqual([1, undefined]);
  });

  it("is told its place when it changes, and fails alone when it cannot hear that", async () => {
    const { use, begin, local, share } = createProcess();
    await use(1);
    const waiting = await begin();
    const leaver = new AbortController();
    const incurious = acquireLocally(local, id, { signal: leaver.signal });
    leaver.abort("gone");
    await expect(incurious).rejects.toBe("gone");
    const deaf = await begin({
      onPosition: () => {
        throw new Error("from the callback");
      },
    });
    expect([deaf.error, share().waiting.size]).toEqual([new Error("from the callback"), 1]);
    for (const position of [1, 4, 4, 2]) for (const one of share().waiting) one.tellPosition(position);
    expect(waiting.positions).toEqual([1, 4, 2]);
    expect(getEventListeners(deaf.signal, "abort")).toHaveLength(0);
  });
});
