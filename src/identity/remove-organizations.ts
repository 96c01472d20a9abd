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
  async function removeAll(organizationId: string, isStopping: () => boolean): Promise<void> {
    await endRuns(organizationId);
    for (const table of largeTables) while (!isStopping() && (await removeRows(db, table, organizationId, rowsAtOnce)) === rowsAtOnce);
    if (!isStopping()) await removeOrganizationRow(db, organizationId);
  }

  async function work(isStopping: () => boolean): Promise<number> {
    const organizations = await listDeletedOrganizations(db);
    for (const { id } of organizations) if (!isStopping()) await removeAll(id, isStopping);
    if (organizations.length > 0) log.info({ organizations: organizations.length }, "deleted organizations were removed");
    return organizations.length;
  }

  return repeatWork({ log, intervalMs, work, failure: "deleted organizations were not removed" });
}
