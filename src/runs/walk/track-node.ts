import { type ItemProgress, type StoredItems, writeItems } from "./node/item-progress.ts";
import { createOutputText } from "./node/output-text.ts";

type Known = Omit<ItemProgress, "interrupted">;

/** How far a node is, to be stored while it runs. Where `items` is null, what is stored of them stays. */
export type Reached = { mustNotRepeat: boolean; underWay: string | null; outputs: string | null } & StoredItems;

export type NodeTracker = ReturnType<typeof createNodeTracker>;

/** After this time whoever watches is told how far a node is. */
const newsAfterMs = 1_000;
/** Shorter outputs are written each time; longer ones when some was added or some time has passed, so that all writes together stay in proportion. */
const shortLength = 16 * 1024;
const mediumLength = 1024 * 1024;
const leastGrowth = 1 + 1 / 16;

/**
 * Stores how far a node under way has come: that it runs, before its first step outside; and of executions that must not be repeated, each
 * before its own. There is one write at a time, and what comes up meanwhile shares the next. `isNews` when who watches should be told.
 */
export function createNodeTracker(write: (reached: Reached, isNews: boolean) => Promise<void>) {
  const begun = new Map<number, Promise<void>>();
  /** Done, but what they gave is not stored. */
  const unstored = new Set<number>();
  let reached: { known: Known; total: number } | undefined;
  const text = createOutputText();
  const stored = { length: 0, at: performance.now() };
  let mustNotRepeat = false;
  let shown: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let isBusy = false;
  let queued: Promise<void> | undefined;
  let newsAt = performance.now();

  function describeItems(isLast: boolean): Pick<Reached, "outputs" | keyof StoredItems> {
    const nothing = { outputs: null, items: null, done: 0, total: 0 };
    if (!reached || reached.total < 2 || !(isLast || mayStore(text.length(), stored))) return nothing;
    Object.assign(stored, { length: text.length(), at: performance.now() });
    unstored.clear();
    const { outputs, origins } = text.write();
    return { outputs, ...writeItems(reached.known, origins, reached.total) };
  }

  function store(isLast = false): Promise<void> {
    const isNews = performance.now() - newsAt >= newsAfterMs;
    if (isNews) newsAt = performance.now();
    const items = describeItems(isLast);
    const underWay = mustNotRepeat ? JSON.stringify([...begun.keys(), ...unstored]) : null;
    isBusy = true;
    running = write({ mustNotRepeat, underWay, ...items }, isNews).finally(() => {
      isBusy = queued !== undefined;
    });
    return running;
  }

  function request(): Promise<void> {
    if (!isBusy) return store();
    const goOn = () => {
      queued = undefined;
      return store();
    };
    queued ??= running.then(goOn, goOn);
    return queued;
  }

  function show(): Promise<void> {
    shown ??= request();
    return shown;
  }

  /** When nothing of it is being written any more. */
  async function settled(): Promise<void> {
    while (isBusy) await Promise.allSettled([running, queued]);
  }

  return {
    mustNotRepeat: () => mustNotRepeat,

    /** To be awaited before an execution reaches out. */
    begin(place: number, now: boolean): Promise<void> {
      const known = begun.get(place);
      if (known) return known;
      if (!now) return show();
      mustNotRepeat = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.set(place, promise);
      resolve(request());
      return promise;
    },

    /** An execution has come to an end; what it gave is in `known`, unless it is tried again. */
    onProgress(known: Known, place: number, total: number): void {
      reached = { known, total };
      if (total > 1) text.add(known.results, place);
      if (begun.delete(place) && known.results.has(place)) unstored.add(place);
      if (total > 1 && performance.now() - newsAt >= newsAfterMs) request().catch(() => {});
    },

    /** For people to see what the run is busy with. */
    show: (): void => void show().catch(() => {}),

    settled,

    /** What is done is stored, also where the node comes to no end here: whoever goes on must not do it again. */
    async flush(): Promise<void> {
      await settled();
      if (reached) await store(true);
    },
  };
}

function mayStore(length: number, stored: { length: number; at: number }): boolean {
  const isLate = performance.now() - stored.at >= newsAfterMs && length <= mediumLength;
  return length <= shortLength || length >= stored.length * leastGrowth || isLate;
}
