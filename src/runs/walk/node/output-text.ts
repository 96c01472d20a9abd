import { toStorableText } from "../../../base/json.ts";
import type { ItemResult, Origins } from "./item-progress.ts";

/** What the items of a node gave as JSON, written as they end: to write all of it anew for each of them would take longer the more there are. */
export function createOutputText() {
  const known = new Set<number>();
  const texts = new Map<string, string>();
  const origins: Origins = {};
  let length = 0;

  function addWay(place: number, way: string, items: unknown[]): void {
    if (items.length === 0) return;
    const text = items.map((item) => toStorableText(item).text).join(",");
    const before = texts.get(way);
    texts.set(way, before === undefined ? text : `${before},${text}`);
    length += text.length + 1;
    origins[way] ??= [];
    for (const _ of items) origins[way].push(place);
  }

  return {
    length: () => length,

    /** What one gave that has ended; the first time also what there is from before. */
    add(results: ReadonlyMap<number, ItemResult>, place: number): void {
      const places = known.size === 0 ? [...results.keys()] : [place];
      for (const one of places.filter((other) => results.has(other) && !known.has(other))) {
        known.add(one);
        for (const [way, items] of Object.entries(results.get(one)?.outputs ?? {})) addWay(one, way, items);
      }
    },

    /** In the order in which they ended. */
    write(): { outputs: string; origins: Origins } {
      const parts = [...texts].map(([way, text]) => `${JSON.stringify(way)}:[${text}]`);
      return { outputs: `{${parts.join(",")}}`, origins };
    },
  };
}
