import type { Log } from "../base/log.ts";
import type { Database } from "../storage/database.ts";
import { leftovers, removeLeftovers } from "./cleanup-store.ts";

type Options = { db: Database; log: Log; intervalMs?: number; batchSize?: number };

/** Removes what has expired, and clients that nobody connects any more: in the background, in small steps. */
export function createCleanup({ db, log, intervalMs = 600_000, batchSize = 1000 }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;

  async function removeAll(): Promise<void> {
    for (const kind of leftovers) {
      let removed = batchSize;
      while (removed === batchSize && !isStopping) removed = await removeLeftovers(db, kind, batchSize);
    }
  }

  const run = (): Promise<void> => {
    running ??= removeAll()
      .catch((error: Error) => log.warn({ reason: error.message }, "old OAuth data was not removed"))
      .finally(() => (running = undefined));
    return running;
  };

  return {
    run,

    start(): void {
      timer = setInterval(() => void run(), intervalMs);
      timer.unref();
    },

    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
