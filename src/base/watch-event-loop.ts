import { createHistogram } from "node:perf_hooks";
import type { Log } from "./log.ts";

type Options = { log: Log; limitMs: number; periodMs?: number };

const tickMs = 50;

/** Warns when this process was too busy to answer anybody for a while, at most once in each period. */
export function watchEventLoop({ log, limitMs, periodMs = 10_000 }: Options) {
  // Not monitorEventLoopDelay: what blocks while that one is read and begun anew is lost.
  const delays = createHistogram();
  let lastTickAt = performance.now();
  let periodBeganAt = lastTickAt;

  function tick(): void {
    const now = performance.now();
    // The histogram takes nothing below one.
    delays.record(Math.max(1, Math.round(now - lastTickAt - tickMs)));
    lastTickAt = now;
    if (now - periodBeganAt < periodMs) return;
    const { max: maxMs } = delays;
    if (maxMs > limitMs) log.warn({ maxMs, p99Ms: delays.percentile(99), periodMs }, "the event loop was blocked");
    delays.reset();
    periodBeganAt = now;
  }

  const timer = setInterval(tick, tickMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
