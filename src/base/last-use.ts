import type { Log } from "./log.ts";

const intervalMs = 60_000;

type Options = {
  write: (ids: string[]) => Promise<unknown>;
  log: Log;
  /** Whose last use it is, for the log. */
  what: string;
};

/** Notes when something was used: at most one write per id and minute, away from the request that caused it. */
export function createLastUse({ write, log, what }: Options) {
  const writtenAt = new Map<string, number>();
  let pending = new Set<string>();
  let flushing: Promise<void> | undefined;

  const flush = async () => {
    while (pending.size > 0) {
      const ids = [...pending];
      pending = new Set();
      await write(ids).catch((error: Error) =>
        log.warn({ error: error.message }, `last use of ${what} was not recorded`),
      );
    }
    flushing = undefined;
  };

  return {
    note(id: string) {
      const now = performance.now();
      if (now - (writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
      writtenAt.set(id, now);
      if (writtenAt.size > 10_000) writtenAt.clear();
      pending.add(id);
      flushing ??= flush();
    },
    flush: () => flushing ?? Promise.resolve(),
  };
}
