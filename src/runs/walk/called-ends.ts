type Call = { nodeId: string; runIds: string[] };

/** What a run at work has heard of the end of runs that it called. */
export function createCalledEnds() {
  const ended = new Set<string>();
  let mayBeAny = false;
  let next = Promise.withResolvers<void>();

  return {
    /** That one has ended, or, without its id, that some may have. */
    tell(runId?: string): void {
      if (runId === undefined) mayBeAny = true;
      else ended.add(runId);
      next.resolve();
    },

    /** Resolves when something is told. */
    told: (): Promise<void> => next.promise,

    /** The calls worth a look, each once. A run may end before anybody waits for it, so what belongs to none of them is kept. */
    take(calls: () => Call[]): Call[] {
      if (!mayBeAny && ended.size === 0) return [];
      next = Promise.withResolvers<void>();
      const found = calls().filter(({ runIds }) => mayBeAny || runIds.some((id) => ended.has(id)));
      for (const id of found.flatMap(({ runIds }) => runIds)) ended.delete(id);
      mayBeAny = false;
      return found;
    },
  };
}
