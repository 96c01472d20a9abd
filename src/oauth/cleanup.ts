import type { Log } from "../base/log.ts";
import { repeatWork } from "../base/repeat-work.ts";
import type { Database } from "../storage/database.ts";
import { leftovers, removeLeftovers } from "./cleanup-store.ts";

type Options = { db: Database; log: Log; intervalMs?: number; batchSize?: number };

/** Removes what has expired, and clients that nobody connects any more: in the background, in small steps. */
export function createCleanup({ db, log, intervalMs = 600_000, batchSize = 1000 }: Options) {
  async function removeAll(isStopping: () => boolean): Promise<number> {
    let all = 0;
    for (const kind of leftovers) {
      let removed = batchSize;
      while (removed === batchSize && !isStopping()) {
        removed = await removeLeftovers(db, kind, batchSize);
        all += removed;
      }
    }
    return all;
  }

  return repeatWork({ log, intervalMs, work: removeAll, failure: "old OAuth data was not removed" });
}
