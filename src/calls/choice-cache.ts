import type { Clock } from "../base/clock.ts";

const keptMs = 60_000;
/** All lists together: some megabytes. */
const mostKept = 50_000;

/** Lists that were loaded a moment ago. The key says whose they are; the oldest go where there are many. */
export function createChoiceCache<Choice>(clock: Clock) {
  const lists = new Map<string, { choices: Choice[]; until: number }>();
  let count = 0;

  function forget(key: string): void {
    count -= (lists.get(key)?.choices.length ?? -1) + 1;
    lists.delete(key);
  }

  return {
    get(key: string): Choice[] | undefined {
      const kept = lists.get(key);
      return kept && kept.until > clock.now().getTime() ? kept.choices : undefined;
    },

    put(key: string, choices: Choice[]): void {
      forget(key);
      const now = clock.now().getTime();
      // The oldest come first.
      for (const [old, { until }] of lists) {
        if (until > now) break;
        forget(old);
      }
      lists.set(key, { choices, until: now + keptMs });
      // An empty list takes room, too.
      count += choices.length + 1;
      for (const oldest of lists.keys()) {
        if (count <= mostKept) return;
        forget(oldest);
      }
    },
  };
}
