import { onTestFinished } from "vitest";
import { newId } from "../../../src/base/ids.ts";
import { createSlots, type Slot, type Slots } from "../../../src/slots/slots.ts";
import type { ConnectionTarget } from "../../../src/storage/database.ts";
import { silentLog } from "../storage/test-postgres.ts";

export type SlotTest = ReturnType<typeof createSlotTest>;

/** Pools that share nothing but the database: each stands for a process. */
export function createSlotTest(target: ConnectionTarget) {
  const caps = new Map<string, number>();
  const capOf = async (ids: string[]) =>
    new Map(ids.flatMap((id) => (caps.has(id) ? [[id, caps.get(id) ?? 0] as const] : [])));
  return {
    caps,

    newOrganization(cap: number): string {
      const organizationId = newId();
      caps.set(organizationId, cap);
      return organizationId;
    },

    async startPool(options: Partial<Parameters<typeof createSlots>[0]> = {}): Promise<Slots> {
      const slots = createSlots({ target, capOf, queueLimit: 1_000, log: silentLog, ...options });
      onTestFinished(() => slots.close());
      await slots.start();
      return slots;
    },
  };
}

export const never = () => new AbortController().signal;

export const take = (slots: Slots, organizationId: string, signal = never()): Promise<Slot> =>
  slots.acquire(organizationId, { signal });

export const takeMany = (slots: Slots, organizationId: string, count: number): Promise<Slot[]> =>
  Promise.all(Array.from({ length: count }, () => take(slots, organizationId)));

export function releaseAll(held: Slot[]): void {
  for (const slot of held) slot.release();
}

/** Starts an acquisition and keeps its outcome for later. */
export function begin(slots: Slots, organizationId: string, signal = never()) {
  const attempt: { slot?: Slot; error?: unknown; ended: Promise<void> } = { ended: Promise.resolve() };
  attempt.ended = take(slots, organizationId, signal).then(
    (slot) => {
      attempt.slot = slot;
    },
    (error: unknown) => {
      attempt.error = error;
    },
  );
  return attempt;
}
