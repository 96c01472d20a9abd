import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSlotTest, type SlotTest, take } from "../../test/support/slot-pools.ts";
import { createTestDatabase } from "../../test/support/test-database.ts";
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

it("keeps to the cap and to the order, and loses nobody, whatever comes in which order", async () => {
  const slots = await test.startPool();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (cap, steps) => {
      const model = createModel(slots, cap);
      for (const one of steps) await model.run(one);
      await model.finish();
    }),
    { numRuns: 60 },
  );
}, 30_000);

/** Plays the steps and checks every grant against a plain list of who waits. */
function createModel(slots: Slots, firstCap: number) {
  const organizationId = test.newOrganization(firstCap);
  let cap = firstCap;
  let nextNumber = 0;
  const waiting: { number: number; abort: () => void }[] = [];
  const using: Slot[] = [];
  const faults: string[] = [];

  function acquire(): void {
    const number = nextNumber++;
    const controller = new AbortController();
    waiting.push({ number, abort: () => controller.abort() });
    take(slots, organizationId, controller.signal).then(
      (slot) => {
        const index = waiting.findIndex((waiter) => waiter.number === number);
        if (index < 0) return slot.release();
        if (index > 0) faults.push(`${number} was served before ${waiting[0]?.number}`);
        waiting.splice(index, 1);
        using.push(slot);
        if (using.length > cap) faults.push(`${using.length} in use with a cap of ${cap}`);
      },
      (error: unknown) => {
        if ((error as Error).name !== "AbortError") faults.push(String(error));
      },
    );
  }

  async function changeCap(pick: number): Promise<void> {
    const next = 1 + (pick % 4);
    const before = cap;
    cap = Math.max(before, next);
    test.caps.set(organizationId, next);
    slots.capChanged(organizationId);
    const stored = () => database.query<{ cap: number }>("SELECT cap FROM slot_state WHERE organization_id = $1", [organizationId]);
    if (next !== before && nextNumber > 0) await expect.poll(async () => (await stored())[0]?.cap, { interval: 2 }).toBe(next);
    await delay(5);
    cap = next;
  }

  const pickFrom = <Item>(items: Item[], pick: number) => (items.length === 0 ? [] : items.splice(pick % items.length, 1));

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
    await expect.poll(() => slots.counts()).toMatchObject({ used: 0, waiting: 0 });
  }

  return { run, finish };
}
