import { z } from "zod";
import type { FieldFault } from "../../base/refusal.ts";
import type { Item } from "../engine-node.ts";
import { containsReference } from "../parse-references.ts";

/** The name of a field in every item; a node that takes the whole list has no item that an expression could speak of. */
export const itemField = (description: string) =>
  z
    .string()
    .min(1)
    .max(200)
    .describe(`${description} A name such as total, or a path such as customer.city or lines[0].price.`)
    .meta({ itemField: true });

const step = /\[(?<position>-?\d{1,9})\]|`(?<quoted>[^`]+)`|(?<name>[^.[\]`]+)/g;

/** What an item has there; undefined for nothing, which null is too. Own properties only. */
export const valueAt = (item: Item, field: string): unknown => readAt(item, stepsOf(field));

/** The same for many items: the path is read once. */
export function createReader(field: string): (item: Item) => unknown {
  const steps = stepsOf(field);
  return (item) => readAt(item, steps);
}

function readAt(item: Item, steps: readonly (string | number)[]): unknown {
  let value: unknown = item;
  for (const part of steps) {
    if (typeof part === "number") value = Array.isArray(value) ? value.at(part) : undefined;
    else if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    else value = (value as Item)[part];
  }
  return value ?? undefined;
}

/** What a field is called in an item of its own: the last name of its path. */
export const nameOf = (field: string): string =>
  String(stepsOf(field).findLast((part) => typeof part === "string") ?? field);

const stepsOf = (field: string): (string | number)[] =>
  [...field.matchAll(step)].map(({ groups: { position, quoted, name } = {} }) =>
    position === undefined ? (quoted ?? name ?? "") : Number(position),
  );

/** A reference would be replaced by what it refers to before the node sees it. */
export const findFieldFaults = (field: unknown, pointer: string): FieldFault[] =>
  typeof field === "string" && containsReference(field)
    ? [{ pointer, detail: "is the name of a field in each item, such as total, and no reference" }]
    : [];

/** The same text for the same JSON, whatever the order of keys. */
export function toKey(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(toKey).join(",")}]`;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${toKey(entry)}`).join(",")}}`;
}
