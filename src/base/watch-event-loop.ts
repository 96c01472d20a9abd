import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Log } from "./log.ts";

// The histogram counts the pause between two of its looks, so this much is there also when nothing is late.
const resolutionMs = 20;

type Options = { log: Log; limitMs: number; lookEveryMs?: number };

/** Warns when this process was too busy to answer anybody for a while, at most once for each look. */
export function watchEventLoop({ log, limitMs, lookEveryMs = 10_000 }: Options) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const look = (): void => {
    const p99Ms = toDelayMs(delays.percentile(99));
    const maxMs = toDelayMs(delays.max);
    delays.reset();
    if (maxMs > limitMs) log.warn({ p99Ms, maxMs, periodMs: lookEveryMs }, "the event loop was blocked");
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    stop(): void {
      clearInterval(timer);
      delays.disable();
    },
  };
}

const toDelayMs = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 1e6 - resolutionMs));
