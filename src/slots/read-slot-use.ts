import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { sumSlotsElsewhere } from "./slot-store.ts";
import type { CapOf, Slots } from "./slots.ts";
import type { SlotUse } from "./wire.ts";

export type ReadSlotUse = ReturnType<typeof createReadSlotUse>;

type Options = { db: Database; slots: Pick<Slots, "useHere" | "workerId">; capOf: CapOf };

/** What an organization's slots are used for right now: exact for this process, for the others as they last told the database. */
export function createReadSlotUse({ db, slots, capOf }: Options) {
  return async (organizationId: string): Promise<SlotUse> => {
    const [caps, elsewhere] = await Promise.all([
      capOf([organizationId]),
      sumSlotsElsewhere(db, organizationId, slots.workerId()),
    ]);
    const cap = caps.get(organizationId);
    if (cap === undefined) throw new Refusal("not_found", "There is no such organization.");
    const here = slots.useHere(organizationId);
    const waits = [here.oldestWaitMs, elsewhere.oldestWaitMs].filter((waitMs) => waitMs !== null);
    return {
      cap,
      inUse: here.used + elsewhere.held,
      waiting: here.waiting + elsewhere.waiting,
      oldestWaitMs: waits.length === 0 ? null : Math.max(0, Math.round(Math.max(...waits))),
      byKind: elsewhere.held === 0 ? { runs: here.usedByRuns, calls: here.used - here.usedByRuns } : null,
    };
  };
}
