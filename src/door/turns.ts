type Go = () => void;

/** So long after requests of two organizations came, each has to share. */
const sharedForMs = 100;

export type Turns = ReturnType<typeof createTurns>;

/**
 * Shares the one thread of this process between organizations, before anything is done for a request: while more than one has requests, each
 * begins one in a turn of the event loop, and the others of it wait. Without that, whoever sends most is served most, and all others wait behind
 * whatever it has sent. An organization alone never waits.
 */
export function createTurns({ now = () => performance.now() } = {}) {
  const waiting = new Map<string, Go[]>();
  const served = new Set<string>();
  let latest: string | undefined;
  let changedAt = Number.NEGATIVE_INFINITY;
  let isPlanned = false;

  const isShared = (): boolean => now() - changedAt < sharedForMs;

  function planRound(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(beginRound);
  }

  function beginRound(): void {
    isPlanned = false;
    served.clear();
    const atOnce = isShared() ? 1 : Number.POSITIVE_INFINITY;
    for (const [organizationId, queue] of [...waiting]) {
      const begun = queue.splice(0, atOnce);
      // Behind the others, so that the next round does not begin with the same one.
      waiting.delete(organizationId);
      if (queue.length > 0) waiting.set(organizationId, queue);
      served.add(organizationId);
      for (const go of begun) go();
    }
    if (served.size > 0) planRound();
  }

  return {
    take(organizationId: string, go: Go): void {
      if (organizationId !== latest) {
        if (latest !== undefined) changedAt = now();
        latest = organizationId;
      }
      if (!isShared()) {
        go();
        return;
      }
      planRound();
      const queue = waiting.get(organizationId);
      if (queue) queue.push(go);
      else if (served.has(organizationId)) waiting.set(organizationId, [go]);
      else {
        served.add(organizationId);
        go();
      }
    },
  };
}
