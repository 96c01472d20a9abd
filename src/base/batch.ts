import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as delay, setImmediate as endOfTurn } from "node:timers/promises";

type BatchOptions<Item, Result> = {
  /** Writes all items or none and answers in their order. */
  flush: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  /** How long a flush waits for more after one that was shared; whoever comes alone does not wait. */
  gatherMs?: number | undefined;
  /** True when the same error would hit every row (the database is away, the outcome of a commit is unknown): nothing is tried again. */
  isFatal?: (error: unknown) => boolean;
};

/**
 * Natural batching: flushes at once when idle and collects while a flush is in flight, so there is no timer to wait for.
 * When a batch fails its rows are tried one by one, so that a bad row fails alone.
 */
export const createBatch = <Item, Result>({
  flush,
  maxItems,
  gatherMs,
  isFatal = () => false,
}: BatchOptions<Item, Result>) => {
  type Entry = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Entry[] = [];
  let running: Promise<void> | undefined;
  let wasShared = false;

  const rejectAll = (entries: Entry[], error: unknown): void => {
    for (const entry of entries) entry.reject(error);
  };

  /** Also who waits behind them: their turn would only bring the same error, and later. */
  const giveUp = (entries: Entry[], error: unknown): void => {
    rejectAll([...entries, ...waiting.splice(0)], error);
  };

  const flushTogether = async (entries: Entry[]): Promise<void> => {
    const results = await flush(entries.map((entry) => entry.item));
    if (results.length !== entries.length) {
      // Not thrown, because the rows may be written and must not be tried again.
      rejectAll(entries, new Error(`flush answered ${results.length} results for ${entries.length} items`));
      return;
    }
    for (const [index, entry] of entries.entries()) entry.resolve(results[index] as Result);
  };

  const flushOneByOne = async (entries: Entry[]): Promise<void> => {
    for (const [index, entry] of entries.entries()) {
      try {
        await flushTogether([entry]);
      } catch (error) {
        if (isFatal(error)) return giveUp(entries.slice(index), error);
        entry.reject(error);
      }
    }
  };

  const flushEntries = async (entries: Entry[]): Promise<void> => {
    try {
      await flushTogether(entries);
    } catch (error) {
      if (isFatal(error)) return giveUp(entries, error);
      if (entries.length > 1) return flushOneByOne(entries);
      rejectAll(entries, error);
    }
  };

  // Whoever happens to begin a flush must not lend its own context, such as its kind of connection, to all who share it.
  const outside = AsyncLocalStorage.snapshot();

  const run = async (): Promise<void> => {
    // Who shared a flush was answered together and mostly comes back together, so the first one does not go ahead of the others.
    if (wasShared) await endOfTurn();
    while (waiting.length > 0) {
      if (wasShared && gatherMs !== undefined && waiting.length < maxItems) await delay(gatherMs);
      const entries = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      wasShared = entries.length > 1;
      await flushEntries(entries);
    }
    running = undefined;
  };

  const add = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      running ??= outside(run);
    });

  const drain = async (): Promise<void> => {
    while (running) await running;
  };

  return { add, drain };
};
