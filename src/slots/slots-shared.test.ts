import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  begin,
  createSlotTest,
  releaseAll,
  type SlotTest,
  take,
  takeMany,
} from "../../test/support/slots/slot-pools.ts";
import { startDatabaseProxy } from "../../test/support/storage/database-proxy.ts";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import { newId } from "../base/ids.ts";
import type { Slots } from "./slots.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let test: SlotTest;

beforeAll(async () => {
  database = await createTestDatabase();
  test = createSlotTest(database.target);
});
afterAll(() => database.drop());

const startTwo = async () => [await test.startPool(), await test.startPool()] as const;

/** Calls one after the other until the time is over; returns the longest wait. */
async function callInLoop(
  slots: Slots,
  organizationId: string,
  options: { forMs: number; eachMs: number; count: { now: number; most: number } },
) {
  const { forMs, eachMs, count } = options;
  const endAt = performance.now() + forMs;
  let [calls, longestMs] = [0, 0];
  while (performance.now() < endAt) {
    const slot = await take(slots, organizationId);
    calls += 1;
    longestMs = Math.max(longestMs, slot.queueMs);
    count.now += 1;
    count.most = Math.max(count.most, count.now);
    await delay(eachMs);
    count.now -= 1;
    slot.release();
  }
  return { calls, longestMs };
}

describe("several processes on one database", () => {
  it("share the cap of an organization", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(3);
    await takeMany(one, organizationId, 2);
    await take(two, organizationId);
    const [third, fourth] = [begin(one, organizationId), begin(two, organizationId)];
    await delay(100);
    expect([third.slot, fourth.slot]).toEqual([undefined, undefined]);
  });

  it("pass on what lies idle in one of them", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(3);
    releaseAll(await takeMany(one, organizationId, 3));
    const startedAt = performance.now();
    await takeMany(two, organizationId, 3);
    expect(performance.now() - startedAt).toBeLessThan(400);
    expect(one.counts().held).toBe(0);
  });

  it("serve the one who has waited longest, wherever it waits", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(1);
    let slot = await take(one, organizationId);
    const order: number[] = [];
    const waiting = [two, one, two, one, one, two].map(async (slots, index) => {
      await delay(index * 15);
      const mine = await take(slots, organizationId);
      order.push(index);
      slot = mine;
    });
    await delay(150);
    for (let served = 0; served < waiting.length; served++) {
      slot.release();
      await expect.poll(() => order.length, { interval: 2 }).toBe(served + 1);
    }
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("never go over the cap and never starve each other under constant load", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(2);
    const count = { now: 0, most: 0 };
    const loops = [one, one, one, one, two, two, two, two].map((slots) =>
      callInLoop(slots, organizationId, { forMs: 1_000, eachMs: 5, count }),
    );
    const results = await Promise.all(loops);
    expect(count.most).toBe(2);
    expect(Math.max(...results.map(({ longestMs }) => longestMs))).toBeLessThan(300);
    const calls = results.map((result) => result.calls);
    expect(Math.min(...calls)).toBeGreaterThan(Math.max(...calls) / 2);
  });

  it("do not keep a permit from the other by using it again while a report is under way", async () => {
    const proxy = await startDatabaseProxy(database.target);
    onTestFinished(() => proxy.close());
    proxy.weather.delayMs = 20;
    const [slow, other] = [await test.startPool({ target: proxy.target }), await test.startPool()];
    const organizationId = test.newOrganization(2);
    const count = { now: 0, most: 0 };
    // Calls of the slow process end while its report is on its way; what they used must not go to its own queue again.
    const slowLoops = Array.from({ length: 6 }, () =>
      callInLoop(slow, organizationId, { forMs: 1_500, eachMs: 1, count }),
    );
    const { longestMs, calls } = await callInLoop(other, organizationId, { forMs: 1_500, eachMs: 1, count });
    await Promise.all(slowLoops);
    expect(count.most).toBe(2);
    expect(calls).toBeGreaterThan(4);
    // Six older waiters, two at a time, with one round trip of 40 ms each.
    expect(longestMs).toBeLessThan(400);
  });

  it("do not use what they are told of while their own report, which gives it back, is under way", async () => {
    const proxy = await startDatabaseProxy(database.target);
    onTestFinished(() => proxy.close());
    proxy.weather.delayMs = 15;
    const [slow, other] = [await test.startPool({ target: proxy.target }), await test.startPool()];
    const organizationId = test.newOrganization(3);
    const count = { now: 0, most: 0 };
    const loops = Array.from({ length: 12 }, (_, index) =>
      callInLoop(index % 2 ? slow : other, organizationId, { forMs: 1_200, eachMs: 3 + index * 5, count }),
    );
    await Promise.all(loops);
    expect(count.most).toBe(3);
  });

  it("learn a new cap from the one that was told", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(2);
    const held = await takeMany(two, organizationId, 2);
    test.caps.set(organizationId, 1);
    one.capChanged(organizationId);
    const next = begin(two, organizationId);
    await delay(60);
    held[0]?.release();
    await delay(60);
    expect(next.slot).toBeUndefined();
    held[1]?.release();
    await next.ended;
    test.caps.set(organizationId, 2);
    one.capChanged(organizationId);
    await take(two, organizationId);
    expect(one.counts()).toEqual({ held: 0, used: 0, waiting: 0 });
  });

  it("do not let the waiters of one that left keep the other from its permits", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(1);
    const slot = await take(one, organizationId);
    const leaver = new AbortController();
    const left = begin(two, organizationId, leaver.signal);
    await delay(40);
    leaver.abort();
    await left.ended;
    await delay(40);
    slot.release();
    const versionOf = () =>
      database.query("SELECT version FROM slot_state WHERE organization_id = $1", [organizationId]);
    const before = await versionOf();
    for (let call = 0; call < 100; call++) (await take(one, organizationId)).release();
    expect(await versionOf()).toEqual(before);
  });

  it("take over what a dead one held when its lease ends, not before", async () => {
    const slots = await test.startPool();
    const organizationId = test.newOrganization(2);
    releaseAll(await takeMany(slots, organizationId, 1));
    const dead = newId();
    await database.query(
      "INSERT INTO slot_worker SELECT $1, clock_timestamp() - interval '9.2 s', 10000, id FROM slot_epoch",
      [dead],
    );
    await database.query(
      "INSERT INTO slot_share (organization_id, worker_id, held, tickets) VALUES ($1, $2, 1, '{}')",
      [organizationId, dead],
    );
    const attempts = [begin(slots, organizationId), begin(slots, organizationId)];
    await delay(400);
    expect(attempts.filter((attempt) => attempt.slot)).toHaveLength(1);
    await Promise.all(attempts.map(({ ended }) => ended));
    expect(await database.query("SELECT FROM slot_worker WHERE id = $1", [dead])).toEqual([]);
  });

  it("wait for all who held something when the database lost its memory in a crash", async () => {
    const one = await test.startPool();
    const organizationId = test.newOrganization(2);
    const slot = await take(one, organizationId);
    const absent = newId();
    await database.query(
      "INSERT INTO slot_worker VALUES ($1, clock_timestamp() - interval '9 s', 10000, gen_random_uuid())",
      [absent],
    );
    await database.query("TRUNCATE slot_epoch, slot_state, slot_share");
    await endSessions();
    const next = begin(one, organizationId);
    await delay(500);
    expect(next.slot).toBeUndefined();
    slot.assertHeld();
    await next.ended;
    expect(await database.query("SELECT held FROM slot_share WHERE organization_id = $1", [organizationId])).toEqual([
      { held: 2 },
    ]);
  });
});

const endSessions = () =>
  database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'switchyard slots' AND datname = current_database()",
  );

describe("a process that is out of touch", () => {
  it("keeps its slots over a lost connection, and nobody else gets them", async () => {
    const [one, two] = await startTwo();
    const organizationId = test.newOrganization(2);
    const [first, second] = await takeMany(one, organizationId, 2);
    const waiting = begin(two, organizationId);
    await delay(40);
    await endSessions();
    await delay(700);
    expect(waiting.slot).toBeUndefined();
    first?.assertHeld();
    first?.release();
    await waiting.ended;
    expect(waiting.slot).toBeDefined();
    second?.assertHeld();
    expect(
      await database.query("SELECT sum(held)::int AS held FROM slot_share WHERE organization_id = $1", [
        organizationId,
      ]),
    ).toEqual([{ held: 2 }]);
  });

  it("may not go on after its deadline, and may again when the database confirms that it still holds its slots", async () => {
    let jumpMs = 0;
    const slots = await test.startPool({ monotonicMs: () => performance.now() + jumpMs });
    const organizationId = test.newOrganization(1);
    const slot = await take(slots, organizationId);
    slot.assertHeld();
    jumpMs = 9_001;
    expect(() => slot.assertHeld()).toThrow(expect.objectContaining({ code: "slot_lost", status: 503 }));
    await expect.poll(() => slot.assertHeld()).toBeUndefined();
  });

  it("loses its slots for ever when it was declared dead, and starts again with none", async () => {
    const slots = await test.startPool();
    const organizationId = test.newOrganization(1);
    const slot = await take(slots, organizationId);
    await database.query("UPDATE slot_worker SET beat_at = clock_timestamp() - interval '11 s'");
    const other = await test.startPool();
    await vi.waitFor(() => expect(() => slot.assertHeld()).toThrow(expect.objectContaining({ code: "slot_lost" })));
    const taken = await take(other, organizationId);
    slot.release();
    const next = begin(slots, organizationId);
    await delay(60);
    expect(next.slot).toBeUndefined();
    taken.release();
    await next.ended;
    next.slot?.assertHeld();
    expect(slots.counts()).toEqual({ held: 1, used: 1, waiting: 0 });
  });

  it("holds nothing any more when its lease has ended, also when nobody asks for a slot", async () => {
    await test.startPool();
    const organizationId = test.newOrganization(1);
    const died = newId();
    await database.query(
      `INSERT INTO slot_worker SELECT $1, clock_timestamp() - interval '9 s', 10000, slot_epoch.id FROM slot_epoch`,
      [died],
    );
    await database.query(
      "INSERT INTO slot_share (organization_id, worker_id, held, tickets) VALUES ($1, $2, 1, '{}')",
      [organizationId, died],
    );
    const held = () => database.query("SELECT held FROM slot_share WHERE organization_id = $1", [organizationId]);
    expect(await held()).toEqual([{ held: 1 }]);
    await expect.poll(held, { timeout: 5_000 }).toEqual([]);
  });

  it("goes on with what it holds while its lease lasts, refuses the rest within two seconds, and recovers alone", async () => {
    await Promise.all((["cut", "black hole"] as const).map(loseDatabase));
  });
});

async function loseDatabase(kind: "cut" | "black hole"): Promise<void> {
  const proxy = await startDatabaseProxy(database.target);
  onTestFinished(() => proxy.close());
  let jumpMs = 0;
  const slots = await test.startPool({ target: proxy.target, monotonicMs: () => performance.now() + jumpMs });
  const [organizationId, other] = [test.newOrganization(1), test.newOrganization(1)];
  (await take(slots, organizationId)).release();
  if (kind === "cut") proxy.cut();
  else proxy.weather.isBlackHole = true;
  (await take(slots, organizationId)).release();
  const startedAt = performance.now();
  await expect(take(slots, other)).rejects.toMatchObject({ code: "database_unavailable" });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  (await take(slots, organizationId)).release();
  jumpMs = 10_000;
  await expect(take(slots, organizationId)).rejects.toMatchObject({ code: "database_unavailable" });
  Object.assign(proxy.weather, { isCut: false, isBlackHole: false });
  await expect.poll(() => take(slots, other).then((slot) => slot.release()), { timeout: 5_000 }).toBeUndefined();
  (await take(slots, organizationId)).release();
}
