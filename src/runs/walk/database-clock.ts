import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Database } from "../../storage/database.ts";
import { readDatabaseNow } from "./clock-store.ts";

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

type Options = { db: Database; log: Log /** What counts until the database has been asked. */; before: Clock };

const askEveryMs = 10_000;

/**
 * The time of the database, as this process knows it: asked for now and then, and counted on with the clock that nobody sets. A process whose own clock is
 * wrong ends no wait and no pause early or late.
 */
export function createDatabaseClock({ db, log, before }: Options) {
  let startMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    const askedMs = performance.now();
    const now = await readDatabaseNow(db);
    const answeredMs = performance.now();
    // When it answered is only known to lie between the two: what fits stays as it is, so that time does not jump back and forth on a busy machine.
    const [earliestMs, latestMs] = [now.getTime() - answeredMs, now.getTime() - askedMs];
    startMs = Math.min(Math.max(startMs ?? (earliestMs + latestMs) / 2, earliestMs), latestMs);
  }

  return {
    now: () => (startMs === undefined ? before.now() : new Date(startMs + performance.now())),

    async start(): Promise<void> {
      await ask();
      timer = setInterval(() => {
        ask().catch((error: Error) =>
          log.debug({ reason: error.message }, "the clock of the database could not be read"),
        );
      }, askEveryMs);
      timer.unref();
    },

    stop: () => clearInterval(timer),
  };
}
