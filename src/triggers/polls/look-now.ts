import { Refusal } from "../../base/refusal.ts";
import { lockTrigger, type Place, readDatabaseClock, type TriggerRow, type TriggersDb } from "../store.ts";
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
      if (!row.is_active) throw new Refusal("trigger_off", "This trigger is turned off.");
      refuseTooEarly(row, await readDatabaseClock(transaction));
      if (again) await tryAllAgain(transaction, place);
      await lookNow(transaction, place);
    });
    return await get(place);
  };

/** Some services count each question that comes too early against the account. */
function refuseTooEarly({ poll_not_before: notBefore }: TriggerRow, now: Date): void {
  if (notBefore === null || notBefore <= now) return;
  const until = notBefore.toISOString().replace(/\.\d+/, "");
  throw new Refusal(
    "rate_limited",
    `The service asked to be left alone until ${until}. The poll looks then by itself.`,
    {
      headers: { "retry-after": String(Math.ceil((notBefore.getTime() - now.getTime()) / 1000)) },
    },
  );
}
