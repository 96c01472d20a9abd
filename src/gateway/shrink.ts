import type { JsonSchema } from "../catalog/json-schema.ts";
import { measure, sizeOf } from "./json-size.ts";

/** Below this an entry of a list tells nothing: fewer entries are then better than shorter ones. */
const leastPerEntry = 400;

/** No longer text is an id or an address, of which a part is worse than nothing. */
const shortText = 100;

/**
 * The same value in about as many characters of JSON: long texts end early, lists and maps lose entries. It still fits its schema,
 * because nothing that must be there goes and no text with a form of its own is cut.
 */
export function shrink(value: unknown, schema: JsonSchema, budget: number): unknown {
  if (sizeOf(value, budget) <= budget) return value;
  if (typeof value === "string")
    return value.length > shortText && hasFreeText(schema) ? cutText(value, budget) : value;
  if (Array.isArray(value)) return shrinkList(value, entrySchema(schema), budget);
  if (typeof value === "object" && value !== null)
    return shrinkFields(value as Record<string, unknown>, schema, budget);
  return value;
}

/** What is left of a value when all that is long in it is shortened. */
const leastOf = (value: unknown, most: number): number =>
  measure(value, most, { text: shortText + 2, list: leastPerEntry });

function cutText(text: string, budget: number): string {
  const cut = (length: number) => `${text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")}…`;
  const short = cut(budget - 3);
  // What JSON escapes takes more room than it has characters.
  const size = sizeOf(short, Infinity);
  return size <= budget ? short : cut(Math.floor((budget - 3) * (short.length / size) * 0.95));
}

function shrinkList(list: unknown[], schema: JsonSchema, budget: number): unknown[] {
  if (canShowAll(list, budget)) {
    const shared = shareOut(
      list.map((entry, index) => ({ key: index, entry, cost: 1, isNeeded: true, schema })),
      budget - 2,
    );
    return list.map((_, index) => shared.get(index));
  }
  const kept: unknown[] = [];
  let left = budget - 2;
  for (const entry of list) {
    const size = sizeOf(entry, left) + 1;
    if (size > left) {
      const isWorthwhile = left >= leastPerEntry && (kept.length === 0 || leastOf(entry, left) < left);
      const shorter = isWorthwhile ? shrink(entry, schema, left - 1) : entry;
      if (sizeOf(shorter, left) < left) kept.push(shorter);
      break;
    }
    kept.push(entry);
    left -= size;
  }
  return kept;
}

function canShowAll(list: unknown[], budget: number): boolean {
  let left = budget - 2;
  if (left / list.length < leastPerEntry) return false;
  return list.every((entry) => {
    left -= leastOf(entry, left) + 1;
    return left >= 0;
  });
}

function shrinkFields(record: Record<string, unknown>, schema: JsonSchema, budget: number): Record<string, unknown> {
  const needed = new Set(branches(schema).flatMap(({ required }) => (required as string[] | undefined) ?? []));
  const fields = Object.entries(record).map(([key, entry]) => ({
    key,
    entry,
    cost: sizeOf(key, Infinity) + 2,
    isNeeded: needed.has(key),
    schema: fieldSchema(schema, key),
  }));
  const shared = shareOut(fields, budget - 2);
  return Object.fromEntries(Object.keys(record).flatMap((key) => (shared.has(key) ? [[key, shared.get(key)]] : [])));
}

type Part<Key> = { key: Key; entry: unknown; cost: number; isNeeded: boolean; schema: JsonSchema };

/** Small parts stay whole; what they leave is divided among the large ones. */
function shareOut<Key>(parts: Part<Key>[], budget: number): Map<Key, unknown> {
  const sized = parts
    .map((part) => ({ ...part, size: sizeOf(part.entry, budget), least: leastOf(part.entry, budget) }))
    .sort((one, other) => one.size - other.size);
  const shared = new Map<Key, unknown>();
  let left = budget;
  // Kept for what must be there and comes later.
  let reserved = sized.reduce((sum, { isNeeded, least, cost }) => sum + (isNeeded ? least + cost : 0), 0);
  for (const [index, { key, entry, cost, isNeeded, schema, least }] of sized.entries()) {
    if (isNeeded) reserved -= least + cost;
    const even = Math.floor(left / (sized.length - index)) - cost;
    const share = least <= left - reserved - cost ? Math.max(even, least) : even;
    const shorter = shrink(entry, schema, share);
    const size = sizeOf(shorter, budget);
    if (!isNeeded && size > share) continue;
    shared.set(key, shorter);
    left -= size + cost;
  }
  return shared;
}

const branches = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...["anyOf", "oneOf"].flatMap((key) => ((schema[key] as JsonSchema[] | undefined) ?? []).flatMap(branches)),
];

const hasFreeText = (schema: JsonSchema): boolean =>
  branches(schema).every((branch) => !["format", "pattern", "enum", "const"].some((key) => key in branch));

const entrySchema = (schema: JsonSchema): JsonSchema =>
  branches(schema).flatMap(({ items }) =>
    typeof items === "object" && items !== null ? [items as JsonSchema] : [],
  )[0] ?? {};

function fieldSchema(schema: JsonSchema, key: string): JsonSchema {
  const found = branches(schema).map(
    ({ properties, additionalProperties }) =>
      (properties as Record<string, JsonSchema> | undefined)?.[key] ?? additionalProperties,
  );
  return (found.find((one) => typeof one === "object" && one !== null) as JsonSchema | undefined) ?? {};
}
