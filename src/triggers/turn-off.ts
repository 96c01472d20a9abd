import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../storage/database.ts";
import { stopTrigger } from "./own-events-store.ts";
import { type TriggerRow, triggerTables } from "./store.ts";

type Options = { db: Database; log: Log; catalog: Pick<Catalog, "providers"> };

/** How often its own effects started it, and within what. */
type Loop = { most: number; within: "a minute" | "an hour"; change: string };

/** Turns off a trigger whose workflow starts itself, and refuses what would have been the next start. */
export function createTurnOff({ db, log, catalog }: Options) {
  const tables = triggerTables(db);
  return async (row: TriggerRow, { most, within, change }: Loop): Promise<never> => {
    const title = catalog.providers.find(({ id }) => id === row.provider_id)?.title ?? row.provider_id;
    const reason = `Turned off, because what its workflow does at ${title} started it again more than ${most} times in ${within}. Change ${change} before you turn it on.`;
    if (await stopTrigger(tables, row, reason))
      log.warn(
        { organizationId: row.organization_id, triggerId: row.id, workflowId: row.workflow_id, most, within },
        "A trigger was turned off, because its workflow kept starting itself.",
      );
    throw new Refusal("trigger_off", "This trigger is turned off.");
  };
}
