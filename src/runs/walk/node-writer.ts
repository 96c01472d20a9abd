import type { NodeRow, RunState } from "./checkpoint-store.ts";
import type { Checkpoint } from "./checkpoints.ts";

/** In all, so that one write stays small and little is done again after a crash. */
const mostDeferred = 50;
const longestDeferred = 64 * 1024;

/**
 * Stores what became of the nodes of one run. Nodes that change nothing anywhere may be deferred: they are stored together with what
 * comes next, and before anything begins that reaches out. After a crash they are executed anew, and nobody can tell.
 */
export function createNodeWriter(store: (checkpoint: Checkpoint) => Promise<boolean>) {
  let deferred: NodeRow[] = [];
  let deferredLength = 0;
  const unstored = new Set<string>();
  let earlier: Promise<boolean> = Promise.resolve(true);
  let writes = 0;
  let last: NodeRow[] = [];
  const shows = new Set<Promise<unknown>>();
  let isRunShown = false;

  /** True once this and all that came before is stored; false when the run is not this process's any more. */
  async function write(checkpoint: Checkpoint): Promise<boolean> {
    const together = deferred;
    last = [...together, ...checkpoint.nodes];
    writes += 1;
    const written = store({ ...checkpoint, nodes: last });
    deferred = [];
    deferredLength = 0;
    const all = Promise.all([earlier, written]).then((answers) => answers.every(Boolean));
    earlier = all.catch(() => false);
    const isOwned = await all;
    if (isOwned) for (const { nodeId } of together) unstored.delete(nodeId);
    return isOwned;
  }

  return {
    write,

    /** Stores that a node runs. The run is stored as running with the first of them, which is enough, and with those that are news to who watches. */
    show(row: NodeRow, { isNews, state }: { isNews: boolean; state: () => RunState }): Promise<boolean> {
      const written = write({ nodes: [row], ...(isRunShown && !isNews ? {} : { state: state() }) });
      isRunShown = true;
      const show = written.catch(() => false).finally(() => shows.delete(show));
      shows.add(show);
      return written;
    },

    /** To be awaited before the run changes its state: what shows it as running must not come after that. */
    whenShown: (): Promise<unknown> => Promise.all(shows),

    /** False when it has to be written. */
    defer(row: NodeRow): boolean {
      const length = (row.input?.length ?? 0) + (row.outputs?.length ?? 0);
      if (deferred.length >= mostDeferred || deferredLength + length > longestDeferred) return false;
      deferred.push(row);
      unstored.add(row.nodeId);
      deferredLength += length;
      return true;
    },

    /** All that was written, where that was with one write. */
    onlyWrite: (): NodeRow[] | undefined => (writes === 1 ? last : undefined),

    /** Whether nothing that is deferred of this node could be lost. */
    isStored: (nodeId: string): boolean => !unstored.has(nodeId),
  };
}
