import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { endTurn, takeTurn } from "./registrations-store.ts";
import { type Place, type TriggerRow, triggerTables } from "./store.ts";

// To change, to set up and to remove take at most 10 s each, and something is saved in between.
const turnMs = 40_000;
// Longer than a turn: one whose process died must have ended by itself.
const waitMs = 50_000;
const pollMs = 75;

export type InRegistrationTurn = ReturnType<typeof createRegistrationTurns>;

/**
 * What a provider is told of one trigger, one after the other over all processes, so that what it was told last is what is stored. The work
 * gets the trigger as it is when its turn comes; undefined where it is gone.
 */
export function createRegistrationTurns(db: Database) {
  const tables = triggerTables(db);

  return async <Value>(place: Place, work: (row: TriggerRow | undefined) => Promise<Value>): Promise<Value> => {
    const holder = newId();
    for (const deadline = performance.now() + waitMs; performance.now() < deadline; await delay(pollMs)) {
      const row = await takeTurn(tables, place, { holder, turnMs });
      if (row === null) continue;
      try {
        return await work(row);
      } finally {
        await endTurn(tables, place, holder);
      }
    }
    throw new Refusal("conflict", "This trigger is being changed by somebody else. Try again.");
  };
}
