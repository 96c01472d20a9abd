import type { Item } from "../../../workflows/engine-node.ts";

const longestJson = 50_000;
const longestText = 2_000;
const mostEntries = 20;

/** Items in a size that is quickly sent: long texts and lists lose their ends, and items that are still too much are left out. */
export function cutItems(items: Item[]): { items: Item[]; truncated: boolean } {
  if (JSON.stringify(items).length <= longestJson) return { items, truncated: false };
  const cut = items.map((item) => JSON.stringify(item, shorten));
  while (cut.join().length > longestJson) cut.pop();
  return { items: cut.map((text) => JSON.parse(text) as Item), truncated: true };
}

function shorten(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, longestText).replace(/[\ud800-\udbff]$/, "");
  return Array.isArray(value) ? (value as unknown[]).slice(0, mostEntries) : value;
}
