import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createProcess, id, isServed, settle } from "../../test/support/slots/slot-process.ts";
import {
  acquireLocally,
  addNews,
  refuseWaiters,
  shareOf,
  takeAnswer,
  takeEverything,
  takeMessage,
} from "./slots-local.ts";

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
    for (let index = 0; index < 203; index++)
      addNews(local, Object.assign(shareOf(local, `organization-${index}`), { cap: 1 }));
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
    expect([hasNews(), share()]).toMatchObject([
      false,
      { held: 1, used: 1, version: 0, capNews: null, isSyncing: true },
    ]);
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
    expect(share()).toMatchObject({ version: 13, held: 4, isSyncing: false, postponed: undefined });
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
    refuseWaiters(
      local,
      Object.assign(share(), { held: 0, used: 0, ticketsTold: 0, isSyncing: false, capNews: null }),
      "no",
    );
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
    const listeners = () =>
      [served, left, refused].map((one) => getEventListeners(one?.signal as AbortSignal, "abort").length);
    expect(listeners()).toEqual([1, 1, 1]);
    first?.slot?.release();
    left?.leave("gone");
    refuseWaiters(local, share(), "no");
    await settle();
    expect(listeners()).toEqual([0, 0, 0]);
    expect([served?.slot !== undefined, left?.error, refused?.error, share().waiting.size]).toEqual([
      true,
      "gone",
      "no",
      0,
    ]);
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
