import { once } from "node:events";

export type Gate = ReturnType<typeof createGate>;

/** Lets so many in at a time, in the order in which they came. How many may change while some wait. */
export function createGate(most: () => number) {
  let inside = 0;
  const waiting: AbortController[] = [];

  function letIn(): void {
    while (inside < Math.max(1, most())) {
      const next = waiting.shift();
      if (!next) return;
      inside += 1;
      next.abort();
    }
  }

  function leave(): void {
    inside -= 1;
    letIn();
  }

  /** Once it may go in, what it calls when it leaves. Who gives up before leaves the queue. */
  return async (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted();
    if (inside < Math.max(1, most()) && waiting.length === 0) {
      inside += 1;
      return leave;
    }
    const turn = new AbortController();
    waiting.push(turn);
    await once(AbortSignal.any([turn.signal, signal]), "abort");
    if (turn.signal.aborted && !signal.aborted) return leave;
    if (turn.signal.aborted) leave();
    else waiting.splice(waiting.indexOf(turn), 1);
    throw signal.reason;
  };
}
