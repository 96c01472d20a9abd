import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { roundsLimitMs, roundsOf } from "../../test/support/rounds.ts";
import { createSlotTest, type SlotTest, take } from "../../test/support/slots/slot-pools.ts";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import type { Slot, Slots } from "./slots.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let test: SlotTest;

beforeAll(async () => {
  database = await createTestDatabase();
  test = createSlotTest(database.target);
});
afterAll(() => database.drop());

type Action = "acquire" | "release" | "abort" | "changeCap" | "pause";
type Step = [Action, number];

const actions: Action[] = ["acquire", "acquire", "acquire", "release", "release", "abort", "changeCap", "pause"];
const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...actions), fc.nat({ max: 1_000 }));

it.each([
  ["in one process, and to the order", 1],
  ["in three processes", 3],
])(
  "keeps to the cap %s, and loses nobody, whatever comes in which order",
  async (_, processes) => {
    const pools: Slots[] = [];
    while (pools.length < processes) pools.push(await test.startPool());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (cap, steps) => {
        const model = createModel(pools, cap);
        for (const one of steps) await model.run(one);
        await model.finish();
      }),
      { numRuns: roundsOf(60, 400), endOnFailure: true },
    );
  },
  roundsLimitMs,
);

/** Plays the steps and checks every grant against a plain list of who waits. */
function createModel(pools: Slots[], firstCap: number) {
  const organizationId = test.newOrganization(firstCap);
  let cap = firstCap;
  let nextNumber = 0;
  const waiting: { number: number; abort: () => void }[] = [];
  const using: Slot[] = [];
  const faults: string[] = [];

  async function countHeld(): Promise<number> {
    const text = "SELECT coalesce(sum(held), 0)::integer AS held FROM slot_share WHERE organization_id = $1";
    return (await database.query<{ held: number }>(text, [organizationId]))[0]?.held ?? 0;
  }

  function acquire(pick: number): void {
    const slots = pools[pick % pools.length] as Slots;
    const number = nextNumber++;
    const controller = new AbortController();
    waiting.push({ number, abort: () => controller.abort() });
    take(slots, organizationId, controller.signal).then(
      (slot) => {
        const index = waiting.findIndex((waiter) => waiter.number === number);
        if (index < 0) return slot.release();
        if (index > 0 && pools.length === 1) faults.push(`${number} was served before ${waiting[0]?.number}`);
        waiting.splice(index, 1);
        using.push(slot);
        if (using.length > cap) faults.push(`${using.length} in use with a cap of ${cap}`);
      },
      (error: unknown) => {
        if ((error as Error).name !== "AbortError") faults.push(String(error));
      },
    );
  }

  /** A cap that a process has asked for may be an old one until it is reported, and reports are sent one after the other. */
  async function letAllReport(): Promise<void> {
    for (const pool of pools) (await take(pool, test.newOrganization(1))).release();
  }

  async function changeCap(pick: number): Promise<void> {
    await letAllReport();
    const next = 1 + (pick % 4);
    const before = cap;
    cap = Math.max(before, next);
    test.caps.set(organizationId, next);
    (pools[pick % pools.length] as Slots).capChanged(organizationId);
    const stored = () =>
      database.query<{ cap: number }>("SELECT cap FROM slot_state WHERE organization_id = $1", [organizationId]);
    if (next !== before && nextNumber > 0)
      await expect.poll(async () => (await stored())[0]?.cap, { interval: 2, timeout: 10_000 }).toBe(next);
    await delay(5);
    // Another process gives back what is too much as soon as it has heard of it, and has it until then.
    await expect
      .poll(async () => (await countHeld()) <= Math.max(next, using.length), { interval: 2, timeout: 10_000 })
      .toBe(true);
    cap = next;
  }

  const pickFrom = <Item>(items: Item[], pick: number) =>
    items.length === 0 ? [] : items.splice(pick % items.length, 1);

  const act: Record<Action, (pick: number) => unknown> = {
    acquire,
    release: (pick) => pickFrom(using, pick).map((slot) => slot.release()),
    abort: (pick) => pickFrom(waiting, pick).map((waiter) => waiter.abort()),
    changeCap,
    pause: () => delay(3),
  };

  async function run([action, pick]: Step): Promise<void> {
    await act[action](pick);
    await turn();
  }

  async function finish(): Promise<void> {
    const endAt = performance.now() + 3_000;
    while (waiting.length + using.length > 0 && performance.now() < endAt) {
      for (const slot of using.splice(0)) slot.release();
      await delay(1);
    }
    expect(faults).toEqual([]);
    expect(waiting.map(({ number }) => number)).toEqual([]);
    for (const pool of pools)
      await expect.poll(() => pool.useHere(organizationId)).toMatchObject({ used: 0, waiting: 0 });
  }

  return { run, finish };
}
