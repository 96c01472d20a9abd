import { describe, expect, it } from "vitest";
import { createProcess, id, isServed, settle } from "../../test/support/slots/slot-process.ts";
import { addNews, takeEverything } from "./slots-local.ts";

describe("a caller", () => {
  it("waits until the cap is known, which is asked for once, and is granted what the database gives", async () => {
    const { begin, heard, reports, learnCap, hasNews, answer, clock, share } = createProcess();
    const first = await begin();
    expect(heard.capsAsked).toEqual([id]);
    const attempts = [first, await begin()];
    expect([heard.capsAsked, hasNews(), reports(), heard.wakes]).toEqual([[id], false, [], 0]);
    expect(attempts.map(({ positions }) => positions)).toEqual([[], []]);
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

  it("that only waits for an answer of the database neither fills the queue nor is told to wait", async () => {
    const { begin, learnCap, reports, answer } = createProcess({ queueLimit: 1 });
    const early = [await begin(), await begin()];
    learnCap(5);
    const attempts = [...early, await begin()];
    reports();
    await answer({ held: 3, cap: 5 });
    expect(attempts.map(({ error, positions }) => [error, positions])).toEqual([
      [undefined, []],
      [undefined, []],
      [undefined, []],
    ]);
    expect(isServed(attempts)).toEqual([true, true, true]);
  });

  it("is refused when the answer says that all slots are in use elsewhere, the newest first", async () => {
    const { begin, learnCap, reports, answer } = createProcess({ queueLimit: 1 });
    const attempts = [await begin(), await begin({ kind: "run" }), await begin(), await begin()];
    learnCap(5);
    reports();
    await answer({ held: 0, cap: 5 });
    expect(attempts.map(({ positions }) => positions)).toEqual([[1], [2], [], []]);
    const codes = attempts.map(({ error }) => (error as { code?: string } | undefined)?.code);
    expect(codes).toEqual([undefined, undefined, "queue_full", "queue_full"]);
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
