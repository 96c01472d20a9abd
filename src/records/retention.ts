import type { Log } from "../base/log.ts";
import { repeatWork } from "../base/repeat-work.ts";
import type { Database } from "../storage/database.ts";
import { readDatabaseTime } from "../storage/database-time.ts";
import { lowestIdAt } from "./time-of-id.ts";

/** Where the records are that are removed. Their ids are of version 7. */
export type RetentionStore = {
  /** Drops months of which all is older than this id, and says where the month begins that it lies in, if it lies in one. */
  dropMonths: (oldestKept: string) => Promise<string | undefined>;
  listOrganizations: () => Promise<{ id: string; exists: boolean }[]>;
  /** The newest one that is over the number to keep. */
  findFirstSurplus: (organizationId: string, keptRows: number) => Promise<{ id: string } | undefined>;
  /** How many were removed, oldest first; undefined when another process is at it. */
  removeOld: (removal: { organizationId: string; beforeId: string; limit: number }) => Promise<number | undefined>;
};

export type RetentionOptions = {
  db: Database;
  store: RetentionStore;
  log: Log;
  keptDays: number;
  /** Per organization. */
  keptRows: number;
  /** Told how many were removed, also when there were none. */
  onDone?: ((removed: number) => void) | undefined;
  intervalMs?: number;
  batchSize?: number;
  /** By the clock of the database unless given. */
  readNow?: () => Promise<Date>;
};

const dayMs = 86_400_000;
/** Of so few days nobody expects a month more; otherwise the rest of a month goes together, when all of it is too old. */
const mostExactDays = 60;
const highestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Removes records that are too old, too many, or of a deleted organization: in the background, in small steps, one process at a time. */
export function createRetention(options: RetentionOptions) {
  const { db, store, log, keptDays, keptRows, intervalMs = 300_000, batchSize = 1000 } = options;
  const { readNow = () => readDatabaseTime(db) } = options;

  async function chooseBound(organization: { id: string; exists: boolean }, firstKept: string): Promise<string> {
    if (!organization.exists) return highestId;
    const surplus = (await store.findFirstSurplus(organization.id, keptRows))?.id;
    if (surplus === undefined || surplus < firstKept) return firstKept;
    return nextId(surplus);
  }

  async function removeUpTo(organizationId: string, beforeId: string, isStopping: () => boolean): Promise<number> {
    let removed = 0;
    while (!isStopping()) {
      const count = await store.removeOld({ organizationId, beforeId, limit: batchSize });
      removed += count ?? 0;
      if (count === undefined || count < batchSize) break;
    }
    return removed;
  }

  async function removeAll(isStopping: () => boolean): Promise<number> {
    const oldestKept = lowestIdAt(new Date((await readNow()).getTime() - keptDays * dayMs));
    const month = await store.dropMonths(oldestKept);
    const firstKept = keptDays <= mostExactDays ? oldestKept : (month ?? oldestKept);
    let removed = 0;
    for (const organization of await store.listOrganizations())
      removed += await removeUpTo(organization.id, await chooseBound(organization, firstKept), isStopping);
    if (removed > 0) log.info({ removed }, "old records were removed");
    options.onDone?.(removed);
    return removed;
  }

  return repeatWork({ log, intervalMs, work: removeAll, failure: "old records were not removed" });
}

/** So that `before` includes the id itself. */
function nextId(id: string): string {
  const next = (BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
