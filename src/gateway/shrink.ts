import type { JsonSchema } from "../catalog/json-schema.ts";

/** Below this an entry of a list tells nothing: fewer entries are then better than shorter ones. */
const leastPerEntry = 400;
const leastPerField = 30;

/**
 * The same value in about as many characters of JSON: long texts end early, lists and maps lose entries. It still fits its schema,
 * because nothing that must be there goes and no text with a form of its own is cut.
 */
export function shrink(value: unknown, schema: JsonSchema, budget: number): unknown {
  if (sizeOf(value) <= budget) return value;
  if (typeof value === "string") return hasFreeText(schema) ? cutText(value, budget) : value;
  if (Array.isArray(value)) return shrinkList(value, entrySchema(schema), budget);
  if (typeof value === "object" && value !== null) return shrinkFields(value as Record<string, unknown>, schema, budget);
  return value;
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

function cutText(text: string, budget: number): string {
  const cut = (length: number) => `${text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")}…`;
  const short = cut(budget - 3);
  // What JSON escapes takes more room than it has characters.
  return sizeOf(short) <= budget ? short : cut(Math.floor((budget - 3) * (short.length / sizeOf(short)) * 0.95));
}

function shrinkList(list: unknown[], schema: JsonSchema, budget: number): unknown[] {
  if (budget / list.length >= leastPerEntry) {
    const shared = shareOut(
      list.map((entry, index) => ({ key: index, entry, cost: 1, isNeeded: true, schema })),
      budget - 2,
    );
    return list.map((_, index) => shared.get(index));
  }
  const kept: unknown[] = [];
  let left = budget - 2;
  for (const entry of list) {
    const size = sizeOf(entry) + 1;
    if (size > left) {
      const shorter = left >= leastPerEntry ? shrink(entry, schema, left - 1) : entry;
      if (sizeOf(shorter) < left) kept.push(shorter);
      break;
    }
    kept.push(entry);
    left -= size;
  }
  return kept;
}

function shrinkFields(record: Record<string, unknown>, schema: JsonSchema, budget: number): Record<string, unknown> {
  const needed = new Set(branches(schema).flatMap(({ required }) => (required as string[] | undefined) ?? []));
  const fields = Object.entries(record).map(([key, entry]) => ({
    ...{ key, entry, cost: sizeOf(key) + 2, isNeeded: needed.has(key), schema: fieldSchema(schema, key) },
  }));
  const shared = shareOut(fields, budget - 2);
  return Object.fromEntries(Object.keys(record).flatMap((key) => (shared.has(key) ? [[key, shared.get(key)]] : [])));
}

type Part<Key> = { key: Key; entry: unknown; cost: number; isNeeded: boolean; schema: JsonSchema };

/** Small parts stay whole; what they leave is divided among the large ones. */
function shareOut<Key>(parts: Part<Key>[], budget: number): Map<Key, unknown> {
  const sized = parts.map((part) => ({ ...part, size: sizeOf(part.entry) })).sort((one, other) => one.size - other.size);
  const shared = new Map<Key, unknown>();
  let left = budget;
  for (const [index, { key, entry, cost, isNeeded, schema }] of sized.entries()) {
    const share = Math.floor(left / (sized.length - index)) - cost;
    const shorter = shrink(entry, schema, share);
    const isDropped = !isNeeded && sizeOf(shorter) > Math.max(share, Math.min(left - cost, leastPerField));
    if (isDropped) continue;
    shared.set(key, shorter);
    left -= sizeOf(shorter) + cost;
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
  branches(schema).flatMap(({ items }) => (typeof items === "object" && items !== null ? [items as JsonSchema] : []))[0] ?? {};

function fieldSchema(schema: JsonSchema, key: string): JsonSchema {
  const found = branches(schema).map(
    ({ properties, additionalProperties }) => (properties as Record<string, JsonSchema> | undefined)?.[key] ?? additionalProperties,
  );
  return (found.find((one) => typeof one === "object" && one !== null) as JsonSchema | undefined) ?? {};
}
