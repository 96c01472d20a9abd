import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { listCaps, listPlanIds, planTables, setPlan, sumCredits } from "./store.ts";

export type Plans = ReturnType<typeof createPlans>;

/** What organizations of a hosted installation may use: the cap of their plan and their credits. */
export function createPlans({ db }: { db: Database }) {
  const tables = planTables(db);
  return {
    /** How many calls may run at once. An organization that does not exist is missing in the answer. */
    async capOf(organizationIds: string[]): Promise<Map<string, number>> {
      return new Map((await listCaps(db, organizationIds)).map(({ id, cap }) => [id, cap]));
    },

    balanceOf: (organizationId: string): Promise<number> => sumCredits(db, organizationId),

    /** Every process acts on it within a few seconds. */
    async setPlan(organizationId: string, planId: string): Promise<void> {
      const known = (await listPlanIds(tables)).map(({ id }) => id);
      if (!known.includes(planId))
        throw new Refusal("not_found", `There is no such plan; the plans are ${known.join(", ")}.`);
      if (!(await setPlan(tables, organizationId, planId)))
        throw new Refusal("not_found", "There is no such organization.");
    },
  };
}
