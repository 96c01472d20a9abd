import { createBatch } from "../base/batch.ts";
import type { createHub } from "../base/hub.ts";
import type { Live } from "../history/live.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { onPool } from "./checkpoint-store.ts";
import type { RunList } from "./run-list.ts";
import { runEventKind } from "./run-source.ts";
import type { RunPlace } from "./store.ts";
import { findEnded, keyOf } from "./waiting-store.ts";
import type { Run } from "./wire.ts";

type Options = {
  db: Database;
  list: Pick<RunList, "get" | "getTogether">;
  /** Runs that ended in this process. */
  ends: ReturnType<typeof createHub<void>>;
  live: Pick<Live, "onHint">;
};

type Limit = { limitMs: number; signal: AbortSignal };

/** A hint may be lost, so whoever waits also looks now and then. */
const lookEveryMs = 1_000;

/**
 * The run once it has ended, or undefined when the time is up. It is read once, at its end: this process knows of its own runs, hears of those
 * of others, and asks for nothing but the status until then, for all that ask at the same time together.
 */
export function createWaitForEnd({ db, list, ends, live }: Options) {
  const flush = async (places: RunPlace[]): Promise<boolean[]> => {
    const ended = new Set((await findEnded(onPool(db), places)).map(keyOf));
    return places.map((place) => ended.has(keyOf(place)));
  };
  const looks = createBatch({ flush, maxItems: 256, isFatal: isDatabaseUnavailable });
  const readings = createBatch({ flush: list.getTogether, maxItems: 32, isFatal: isDatabaseUnavailable });

  async function hasEnded(place: RunPlace, { limitMs, signal }: Limit): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => resolve(false);
    // Nobody is kept waiting for a database that is away: the run was accepted, and its address is what there is to say.
    const look = () => void looks.add(place).then((isOver) => isOver && resolve(true), giveUp);
    const unsubscribes = [ends.subscribe(place.id, () => resolve(true)), live.onHint(runEventKind, place.id, look)];
    const timers = [setTimeout(giveUp, limitMs), setInterval(look, lookEveryMs)];
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      if (signal.aborted) return false;
      look();
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      for (const timer of timers) clearTimeout(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
    }
  }

  return async (organizationId: string, id: string, limit: Limit): Promise<Run | undefined> =>
    (await hasEnded({ organizationId, id }, limit))
      ? ((await readings.add({ organizationId, id })) ?? (await list.get(organizationId, id)))
      : undefined;
}
