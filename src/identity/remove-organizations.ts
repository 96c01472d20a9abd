import type { Log } from "../base/log.ts";
import { repeatWork } from "../base/repeat-work.ts";
import type { Database } from "../storage/database.ts";
import { largeTables, listDeletedOrganizations, removeOrganizationRow, removeRows } from "./removal-store.ts";

type Options = {
  db: Database;
  log: Log;
  /** Those that were accepted while the organization was being deleted. */
  endRuns: (organizationId: string) => Promise<void>;
};

const intervalMs = 60_000;
const rowsAtOnce = 500;

/** Removes what is left of deleted organizations, in small steps. Whoever stopped in the middle, or died, leaves the rest to the next. */
export function createOrganizationRemoval({ db, log, endRuns }: Options) {
  async function removeAll(organizationId: string, isStopping: () => boolean): Promise<boolean> {
    await endRuns(organizationId);
    for (const table of largeTables)
      while (!isStopping() && (await removeRows(db, table, organizationId, rowsAtOnce)) === rowsAtOnce);
    return !isStopping() && (await removeOrganizationRow(db, organizationId));
  }

  /** Whether it is gone. One that cannot be removed must not keep the others. */
  async function tryToRemove(organizationId: string, isStopping: () => boolean): Promise<boolean> {
    try {
      return await removeAll(organizationId, isStopping);
    } catch (error) {
      log.warn({ reason: (error as Error).message, organizationId }, "a deleted organization was not removed");
      return false;
    }
  }

  async function work(isStopping: () => boolean): Promise<number> {
    let removed = 0;
    for (const { id } of await listDeletedOrganizations(db))
      if (!isStopping() && (await tryToRemove(id, isStopping))) removed += 1;
    if (removed > 0) log.info({ organizations: removed }, "deleted organizations were removed");
    return removed;
  }

  return repeatWork({ log, intervalMs, work, failure: "deleted organizations were not removed" });
}
