import type { Item } from "./expressions.ts";
import type { AggregateWork, SortWork, Work } from "./flow.ts";
import { refuse } from "./refused.ts";

// Written for being obviously right on a few items, not for being quick.

/** Null is nothing. */
function find(item: Item, field: string): unknown {
  return field.split(".").reduce<unknown>((at, name) => (at as Item | null | undefined)?.[name], item) ?? undefined;
}

const order = (value: unknown): number => ["number", "string", "boolean", "object", "undefined"].indexOf(typeof value);

function isBefore(one: Item, other: Item, by: SortWork["by"]): boolean {
  const differences = by.map((each) => differ(find(one, each.field), find(other, each.field), each.order));
  return (differences.find((difference) => difference !== 0) ?? 0) < 0;
}

/** What is missing is last in both orders. */
function differ(left: unknown, right: unknown, direction: "ascending" | "descending"): number {
  if (left === undefined || right === undefined) return order(left) - order(right);
  const bySize = left === right ? 0 : (left as number) < (right as number) ? -1 : 1;
  const difference = order(left) - order(right) || bySize;
  return direction === "ascending" ? difference : -difference;
}

export function sortItems({ by, skip, limit = Number.POSITIVE_INFINITY }: SortWork, items: Item[]): Item[] {
  const sorted: Item[] = [];
  for (const item of items) {
    const place = sorted.findIndex((other) => isBefore(item, other, by));
    sorted.splice(place === -1 ? sorted.length : place, 0, item);
  }
  return sorted.slice(skip, skip + limit);
}

const isSame = (one: Item, other: Item, fields: string[]): boolean =>
  fields.every((field) => JSON.stringify(find(one, field)) === JSON.stringify(find(other, field)));

export function aggregateItems({ groupBy, values }: AggregateWork, items: Item[]): Item[] {
  const firsts = items.filter((item, place) => items.findIndex((other) => isSame(item, other, groupBy)) === place);
  const groups =
    groupBy.length === 0 ? [items] : firsts.map((first) => items.filter((one) => isSame(first, one, groupBy)));
  return groups.map((group) =>
    Object.fromEntries([
      ...groupBy.map((field) => [field, find(group[0] as Item, field) ?? null]),
      ...values.map(({ name, operation, field }) => [
        name,
        combine(operation, field === undefined ? group : group.flatMap((item) => find(item, field) ?? [])),
      ]),
    ]),
  );
}

function combine(operation: AggregateWork["values"][number]["operation"], found: unknown[]): unknown {
  if (operation === "collect") return found;
  if (operation === "count") return found.length;
  const numbers = found as number[];
  if (!numbers.every((one) => typeof one === "number")) return refuse("validation_failed");
  const sum = numbers.reduce((total, one) => total + one, 0);
  if (operation === "sum") return sum;
  if (numbers.length === 0) return null;
  if (operation === "average") return sum / numbers.length;
  return operation === "min" ? Math.min(...numbers) : Math.max(...numbers);
}

export function removeDuplicates({ by, keep }: Extract<Work, { type: "dedupe" }>, items: Item[]): Item[] {
  const isIncomparable = (item: Item) => by.length > 0 && by.every((field) => find(item, field) === undefined);
  const same = (one: Item, other: Item) => (by.length === 0 ? isEqual(one, other) : isSame(one, other, by));
  return items.filter((item, place) => {
    const rest = keep === "first" ? items.slice(0, place) : items.slice(place + 1);
    return isIncomparable(item) || !rest.some((other) => same(item, other));
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.every((key) => isEqual((one as Item)[key], (other as Item)[key]));
}
