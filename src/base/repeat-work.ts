import type { Log } from "./log.ts";

type Options = {
  log: Log;
  intervalMs: number;
  /** Does it once and says how much it did; stops early when `isStopping`. */
  work: (isStopping: () => boolean) => Promise<number>;
  /** What the log says when it failed. */
  failure: string;
};

/** Upkeep in the background: now and then, never twice at the same time, and a failure is only logged. */
export function repeatWork({ log, intervalMs, work, failure }: Options) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<number> | undefined;
  let isStopping = false;

  const run = (): Promise<number> => {
    running ??= work(() => isStopping)
      .catch((error: Error) => {
        log.warn({ reason: error.message }, failure);
        return 0;
      })
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
