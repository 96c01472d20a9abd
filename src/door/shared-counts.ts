import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from "@fastify/rate-limit";

/** What a process counted since it last told its siblings. */
export type Counted = { counter: string; key: string; windowMs: number; count: number }[];

export type SharedCounts = ReturnType<typeof createSharedCounts>;

const tellAfterMs = 100;
/** As many as the library keeps of its own. */
const mostKeys = 5_000;

/** Rate limits that hold for all processes behind the same ports together, but for the last tenth of a second. */
export function createSharedCounts(tell: (counted: Counted) => void) {
  const counters = new Map<string, ReturnType<typeof createCounter>>();
  const untold = new Map<string, Counted[number]>();

  function tellAll(): void {
    tell([...untold.values()]);
    untold.clear();
  }

  function note(counter: string, key: string, windowMs: number): void {
    const name = `${counter} ${key}`;
    const noted = untold.get(name);
    if (untold.size === 0) setTimeout(tellAll, tellAfterMs).unref();
    if (noted) noted.count += 1;
    else untold.set(name, { counter, key, windowMs, count: 1 });
  }

  function createStore(door: string): FastifyRateLimitStore {
    // Limits are registered in the same order in all processes.
    const counter = `${door} ${counters.size}`;
    const add = createCounter();
    counters.set(counter, add);
    return {
      incr(key, callback, windowMs) {
        note(counter, key, windowMs);
        callback(null, add(key, windowMs, 1));
      },
      child: () => createStore(door),
    };
  }

  return {
    /** For the limits of one door; the library makes it with `new`. */
    storeOf: (door: string): FastifyRateLimitStoreCtor =>
      function Store() {
        return createStore(door);
      } as unknown as FastifyRateLimitStoreCtor,

    hear(counted: Counted): void {
      for (const { counter, key, windowMs, count } of counted) counters.get(counter)?.(key, windowMs, count);
    },
  };
}

function createCounter() {
  const windows = new Map<string, { count: number; startedAt: number }>();
  return (key: string, windowMs: number, count: number): { current: number; ttl: number } => {
    const now = Date.now();
    const known = windows.get(key);
    const window = known && known.startedAt + windowMs > now ? known : { count: 0, startedAt: now };
    window.count += count;
    windows.delete(key);
    windows.set(key, window);
    // The one that was counted longest ago.
    const [oldest] = windows.size > mostKeys ? windows.keys() : [];
    if (oldest !== undefined) windows.delete(oldest);
    return { current: window.count, ttl: window.startedAt + windowMs - now };
  };
}
