import type { Item } from "../engine-node.ts";

/** One item for each element of a list; a single value is a list of one, as JSONata has it, and null is an empty list. */
export function toItems(value: unknown): Item[] {
  if (value === null || value === undefined) return [];
  const elements: unknown[] = Array.isArray(value) ? value : [value];
  return elements.map((element) => (isItem(element) ? element : { value: element }));
}

const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);
