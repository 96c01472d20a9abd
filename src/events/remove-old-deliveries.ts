import type { Log } from "../base/log.ts";
import { repeatWork } from "../base/repeat-work.ts";
import { lowestIdAt } from "../records/time-of-id.ts";
import type { Database } from "../storage/database.ts";
import { readDatabaseTime } from "../storage/database-time.ts";
import { removeDeliveries } from "./delivery-store.ts";

type Options = { db: Database; log: Log; keptDays: number; intervalMs?: number; batchSize?: number };

const dayMs = 86_400_000;

/** The delivery log is kept as long as the history: in the background, in small steps that several processes can share. */
export function createDeliveryRetention({ db, log, keptDays, intervalMs = 300_000, batchSize = 1000 }: Options) {
  async function removeAll(isStopping: () => boolean): Promise<number> {
    // Not this machine's clock: a wrong one would remove what is still wanted.
    const beforeId = lowestIdAt(new Date((await readDatabaseTime(db)).getTime() - keptDays * dayMs));
    let removed = 0;
    while (!isStopping()) {
      const count = await removeDeliveries(db, { beforeId, limit: batchSize });
      removed += count;
      if (count < batchSize) break;
    }
    if (removed > 0) log.info({ removed }, "old event deliveries were removed");
    return removed;
  }

  return repeatWork({ log, intervalMs, work: removeAll, failure: "old event deliveries were not removed" });
}
