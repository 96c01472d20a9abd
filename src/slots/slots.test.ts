import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  begin,
  createSlotTest,
  never,
  releaseAll,
  type SlotTest,
  take,
  takeMany,
} from "../../test/support/slots/slot-pools.ts";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import { newId } from "../base/ids.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let test: SlotTest;

beforeAll(async () => {
  database = await createTestDatabase();
  test = createSlotTest(database.target);
});
afterAll(() => database.drop());

const startPool = (options?: Parameters<SlotTest["startPool"]>[0]) => test.startPool(options);
const newOrganization = (cap: number) => test.newOrganization(cap);

describe("one process", () => {
  it("gives no more slots than the cap, and the next one when one is released", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(2);
    const [first] = await takeMany(slots, organizationId, 2);
    const third = begin(slots, organizationId);
    await delay(50);
    expect(third.slot).toBeUndefined();
    expect(slots.counts()).toEqual({ held: 2, used: 2, waiting: 1 });
    first?.release();
    await third.ended;
    expect(third.slot?.queueMs).toBeGreaterThanOrEqual(45);
    expect(slots.counts()).toEqual({ held: 2, used: 2, waiting: 0 });
  });

  it("serves who waits in the order of their coming", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const slot = await take(slots, organizationId);
        order.push(index);
        await delay(index % 3);
        slot.release();
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it("counts a slot that is released twice once", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    slot.release();
    slot.release();
    await take(slots, organizationId);
    const next = begin(slots, organizationId);
    await delay(30);
    expect(next.slot).toBeUndefined();
    expect(() => slot.assertHeld()).toThrow(expect.objectContaining({ code: "slot_lost" }));
  });

  it("lets an aborted waiter leave with the reason of its signal, without taking anybody's turn", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    const leaver = new AbortController();
    const [left, stayed] = [begin(slots, organizationId, leaver.signal), begin(slots, organizationId)];
    const reason = new Error("the client went away");
    leaver.abort(reason);
    await left.ended;
    expect(left.error).toBe(reason);
    expect(slots.counts().waiting).toBe(1);
    slot.release();
    await stayed.ended;
    expect(stayed.slot).toBeDefined();
    await expect(take(slots, organizationId, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("stops listening to the signal of a waiter that was served or refused", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const { signal } = new AbortController();
    const served = [begin(slots, organizationId, signal), begin(slots, organizationId, signal)];
    const refused = begin(slots, newId(), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(3);
    await served[0]?.ended;
    served[0]?.slot?.release();
    await Promise.all([served[1]?.ended, refused.ended]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("refuses the call that finds the queue of its organization full", async () => {
    const slots = await startPool({ queueLimit: 2 });
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    const waiting = [begin(slots, organizationId), begin(slots, organizationId)];
    await expect(take(slots, organizationId)).rejects.toMatchObject({
      code: "queue_full",
      status: 429,
      headers: { "Retry-After": "1" },
    });
    slot.release();
    await waiting[0]?.ended;
    begin(slots, organizationId);
    expect(slots.counts().waiting).toBe(2);
  });

  it("refuses nobody while there are slots, however short the queue is", async () => {
    const slots = await startPool({ queueLimit: 1 });
    const organizationId = newOrganization(5);
    const told: number[] = [];
    const acquire = () =>
      slots.acquire(organizationId, { signal: never(), onPosition: (position) => told.push(position) });
    const taken = await Promise.all(Array.from({ length: 5 }, acquire));
    expect(told).toEqual([]);
    const waiting = acquire();
    expect(told).toEqual([1]);
    await expect(acquire()).rejects.toMatchObject({ code: "queue_full" });
    for (const slot of [...taken, await Promise.race([waiting, Promise.resolve(undefined)])]) slot?.release();
    (await waiting).release();
  });

  it("tells the place in the queue when it changes", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    const next = begin(slots, organizationId);
    const positions: number[] = [];
    const last = slots.acquire(organizationId, { signal: never(), onPosition: (position) => positions.push(position) });
    expect(positions).toEqual([2]);
    slot.release();
    await next.ended;
    await expect.poll(() => positions).toEqual([2, 1]);
    next.slot?.release();
    (await last).release();
  });

  it("fails only the call whose own callback throws", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    const onPosition = () => {
      throw new Error("from the callback");
    };
    await expect(slots.acquire(organizationId, { signal: never(), onPosition })).rejects.toThrow("from the callback");
    expect(slots.counts().waiting).toBe(0);
    slot.release();
    await take(slots, organizationId);
  });

  it("follows a cap that is raised and lowered, at once when told", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const held = await takeMany(slots, organizationId, 1);
    const waiting = [begin(slots, organizationId), begin(slots, organizationId)];
    test.caps.set(organizationId, 3);
    slots.capChanged(organizationId);
    await Promise.all(waiting.map(({ ended }) => ended));
    expect(slots.counts()).toEqual({ held: 3, used: 3, waiting: 0 });
    test.caps.set(organizationId, 1);
    slots.capChanged(organizationId);
    const late = begin(slots, organizationId);
    await delay(50);
    held[0]?.release();
    waiting[0]?.slot?.release();
    await delay(50);
    expect(late.slot).toBeUndefined();
    expect(slots.counts().used).toBe(1);
    waiting[1]?.slot?.release();
    await late.ended;
    expect(slots.counts()).toEqual({ held: 1, used: 1, waiting: 0 });
  });

  it("finds a changed cap by itself", async () => {
    const slots = await startPool({ leaseMs: 400 });
    const organizationId = newOrganization(1);
    await take(slots, organizationId);
    const next = begin(slots, organizationId);
    test.caps.set(organizationId, 2);
    await next.ended;
    expect(next.slot).toBeDefined();
  });

  it("does not let a full organization delay another", async () => {
    const slots = await startPool();
    const [full, quiet] = [newOrganization(1), newOrganization(1)];
    const slot = await take(slots, full);
    const waiting = Array.from({ length: 100 }, () => begin(slots, full));
    (await take(slots, quiet)).release();
    const timesMs: number[] = [];
    for (let round = 0; round < 10; round++) {
      const startedAt = performance.now();
      (await take(slots, quiet)).release();
      timesMs.push(performance.now() - startedAt);
    }
    // Without what a busy machine adds.
    expect(Math.min(...timesMs)).toBeLessThan(5);
    expect(waiting.some((attempt) => attempt.slot)).toBe(false);
    slot.release();
  });

  it("asks the database nothing while its permits suffice, and gives idle ones back after five seconds", async () => {
    let nowMs = performance.now();
    const slots = await startPool({ monotonicMs: () => nowMs });
    const organizationId = newOrganization(3);
    releaseAll(await takeMany(slots, organizationId, 3));
    const versionOf = () =>
      database.query("SELECT version FROM slot_state WHERE organization_id = $1", [organizationId]);
    const before = await versionOf();
    for (let call = 0; call < 1_000; call++) (await take(slots, organizationId)).release();
    expect(await versionOf()).toEqual(before);
    expect(slots.counts()).toEqual({ held: 3, used: 0, waiting: 0 });
    nowMs += 5_001;
    await expect.poll(() => slots.counts()).toEqual({ held: 0, used: 0, waiting: 0 });
    expect(await database.query("SELECT FROM slot_share WHERE organization_id = $1", [organizationId])).toEqual([]);
  });

  it("refuses calls of an unknown organization, and of one with an impossible id or cap, but nobody else's", async () => {
    const slots = await startPool();
    const [good, badCap] = [newOrganization(1), newOrganization(1.5)];
    test.caps.set("not a uuid", 1);
    const attempts = [newId(), "not a uuid", badCap, good].map((id) => begin(slots, id));
    await Promise.all(attempts.map(({ ended }) => ended));
    const [unknown, badId, bad, fine] = attempts;
    expect(unknown?.error).toMatchObject({ code: "not_found" });
    expect(badId?.error).toBeInstanceOf(Error);
    expect(bad?.error).toBeInstanceOf(Error);
    expect(fine?.slot).toBeDefined();
    expect(slots.counts()).toEqual({ held: 1, used: 1, waiting: 0 });
  });

  it("refuses with the failure of asking for the cap", async () => {
    const slots = await startPool({ capOf: () => Promise.reject(new Error("no answer")) });
    await expect(take(slots, newId())).rejects.toThrow("no answer");
    expect(slots.counts()).toEqual({ held: 0, used: 0, waiting: 0 });
  });

  it("leaves nothing behind when it is closed: no share, no worker, no waiter", async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const slot = await take(slots, organizationId);
    const waiting = begin(slots, organizationId);
    const other = await startPool();
    await slots.close();
    await waiting.ended;
    expect(waiting.error).toMatchObject({ code: "shutting_down" });
    await expect(take(slots, organizationId)).rejects.toMatchObject({ code: "shutting_down" });
    expect(() => slot.assertHeld()).toThrow("slot");
    slot.release();
    (await take(other, organizationId)).release();
    await other.close();
    expect(await database.query("SELECT FROM slot_worker")).toEqual([]);
    expect(await database.query("SELECT FROM slot_share")).toEqual([]);
  });

  it("survives a hundred thousand calls and ten thousand aborted waiters without growing", {
    timeout: 30_000,
  }, async () => {
    const slots = await startPool();
    const organizationId = newOrganization(1);
    const call = async () => (await take(slots, organizationId)).release();
    const abortOne = async () => {
      const controller = new AbortController();
      const attempt = begin(slots, organizationId, controller.signal);
      controller.abort();
      await attempt.ended;
    };
    for (let index = 0; index < 10_000; index++) await call();
    const before = settledHeapBytes();
    for (let index = 0; index < 90_000; index++) await call();
    const slot = await take(slots, organizationId);
    for (let index = 0; index < 10_000; index++) await abortOne();
    slot.release();
    expect(settledHeapBytes() - before).toBeLessThan(3_000_000);
    expect(slots.counts()).toEqual({ held: 1, used: 0, waiting: 0 });
  });
});

function settledHeapBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
