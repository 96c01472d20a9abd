type Call = { nodeId: string; runIds: string[] };

/** The end of a called workflow is heard of; a word may be lost, so a run also looks by itself now and then. */
const lookEveryMs = 5_000;

/** What a run at work has heard of the end of runs that it called. */
export function createCalledEnds() {
  const ended = new Set<string>();
  let mayBeAny = false;
  let next = Promise.withResolvers<void>();
  let lookAt = Number.POSITIVE_INFINITY;

  /** That one has ended, or, without its id, that some may have. */
  function tell(runId?: string): void {
    if (runId === undefined) mayBeAny = true;
    else ended.add(runId);
    next.resolve();
  }

  return {
    tell,

    /** Resolves when something is told. */
    told: (): Promise<void> => next.promise,

    /** The run has just looked at all its calls, and does not look again for some time unless it is told something. */
    looked(): void {
      lookAt = performance.now() + lookEveryMs;
    },

    /** How long the run may wait to be told something before it looks by itself. */
    patienceMs: (): number => Math.max(lookAt - performance.now(), 1),

    /** The calls worth a look, each once. A run may end before anybody waits for it, so what belongs to none of them is kept. */
    take(calls: () => Call[]): Call[] {
      if (performance.now() >= lookAt) tell();
      if (!mayBeAny && ended.size === 0) return [];
      next = Promise.withResolvers<void>();
      const found = calls().filter(({ runIds }) => mayBeAny || runIds.some((id) => ended.has(id)));
      for (const id of found.flatMap(({ runIds }) => runIds)) ended.delete(id);
      mayBeAny = false;
      return found;
    },
  };
}
