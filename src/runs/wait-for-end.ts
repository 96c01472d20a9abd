import { setTimeout as delay } from "node:timers/promises";
import type { createHub } from "../base/hub.ts";
import type { RunList } from "./run-list.ts";
import type { Run } from "./wire.ts";

type Options = { list: Pick<RunList, "get">; ends: ReturnType<typeof createHub<void>> };

const lookEveryMs = 250;
const isEnded = ({ status }: Run): boolean => status === "succeeded" || status === "failed" || status === "cancelled";

/** The run once it has ended, or undefined when the time is up. This process hears at once of runs it has itself; it looks for others. */
export function createWaitForEnd({ list, ends }: Options) {
  return async (organizationId: string, id: string, limit: { limitMs: number; signal: AbortSignal }): Promise<Run | undefined> => {
    const untilMs = performance.now() + limit.limitMs;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const unsubscribe = ends.subscribe(id, () => resolve());
    const timers = new AbortController();
    const signal = AbortSignal.any([limit.signal, timers.signal]);
    try {
      for (;;) {
        const run = await list.get(organizationId, id);
        if (isEnded(run)) return run;
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0 || limit.signal.aborted) return undefined;
        await Promise.race([ended, delay(Math.min(lookEveryMs, leftMs), undefined, { signal }).catch(() => {})]);
      }
    } finally {
      timers.abort();
      unsubscribe();
    }
  };
}
