import { once } from "node:events";
import { getHeapStatistics } from "node:v8";

export type OutputBudget = ReturnType<typeof createOutputBudget>;

const perRun = 8_000_000;
const perNode = 64_000_000;
const shareOfHeap = 1 / 8;

/**
 * How much of what nodes gave may be in memory, in characters of its JSON: kept for one run and for all runs of this process, and read again for
 * nodes that are executed. What is over it is only in the database, where it is stored anyway. A process with little memory has smaller ones.
 */
export function createOutputBudget({ heapBytes = getHeapStatistics().heap_size_limit } = {}) {
  const perProcess = heapBytes * shareOfHeap;
  let kept = 0;
  let read = 0;
  let changed = new AbortController();

  return {
    perRun: Math.min(perRun, perProcess / 4),
    perNode: Math.min(perNode, perProcess),

    /** More is kept than this process should, or less again when negative. */
    keep(length: number): void {
      kept += length;
    },
    isExceeded: () => kept > perProcess,

    /** Waits for other nodes to be done with theirs, unless there are none. */
    async takeToRead(length: number, signal: AbortSignal): Promise<() => void> {
      while (read > 0 && read + length > perProcess) {
        // One that is aborted already would be waited for in vain.
        signal.throwIfAborted();
        await once(AbortSignal.any([changed.signal, signal]), "abort");
        signal.throwIfAborted();
      }
      read += length;
      return () => {
        read -= length;
        changed.abort();
        changed = new AbortController();
      };
    },
  };
}
