import { setTimeout as delay } from "node:timers/promises";

type Options = {
  /** How long the next one of a key waits after one has ended, as a multiple of the time that one took. */
  rest?: number;
};

/** Does one after the other whatever has the same key. */
export function createTurns({ rest = 0 }: Options = {}) {
  const ends = new Map<string, Promise<void>>();

  /** Nobody waits for a rest who has no predecessor: it is over before the answer has been read, unless another asks at once. */
  async function restAfter(turn: Promise<{ tookMs: number }>): Promise<void> {
    const { tookMs } = await turn;
    if (rest > 0) await delay(tookMs * rest, undefined, { ref: false });
  }

  return async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
    const turn = (ends.get(key) ?? Promise.resolve()).then(() => timed(work));
    const end = restAfter(turn);
    ends.set(key, end);
    void end.then(() => {
      if (ends.get(key) === end) ends.delete(key);
    });
    const { outcome } = await turn;
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  };
}

async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ tookMs: number; outcome: PromiseSettledResult<Value> }> {
  const startedAt = performance.now();
  const [outcome] = await Promise.allSettled([Promise.resolve().then(work)]);
  return { tookMs: performance.now() - startedAt, outcome };
}
