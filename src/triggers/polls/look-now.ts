import { Refusal } from "../../base/refusal.ts";
import { lockTrigger, type Place, type TriggersDb } from "../store.ts";
import type { Trigger } from "../wire.ts";
import { tryAllAgain } from "./faulty-item-store.ts";
import { lookNow } from "./poll-store.ts";

/** Somebody does not want to wait for the next look. `again`: it also tries all items that are kept back or were given up. */
export const createLookNow =
  (tables: TriggersDb, get: (place: Place) => Promise<Trigger>) =>
  async (place: Place, { again }: { again: boolean }): Promise<Trigger> => {
    await tables.transaction().execute(async (transaction) => {
      const row = await lockTrigger(transaction, place);
      if (!row) throw new Refusal("not_found", "There is no such trigger.");
      if (row.kind !== "poll") throw new Refusal("conflict", "Only a poll looks at a service.");
      if (again) await tryAllAgain(transaction, place);
      if (!(await lookNow(transaction, place))) throw new Refusal("trigger_off", "This trigger is turned off.");
    });
    return await get(place);
  };
