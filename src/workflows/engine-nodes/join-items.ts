import { Refusal } from "../../base/refusal.ts";
import type { Branch, Item } from "../engine-node.ts";

export type Join = { key: string; join: "outer" | "left" | "inner"; compare: "strict" | "loose" };

/** An item on its way through the branches, with where it comes from: its branch, and its places among all incoming items. */
type Row = { item: Item; key: string | undefined; from: string; places: number[]; isMatched: boolean };

/** Each with each of the same key is many quickly. */
const mostRows = 100_000;

/** One branch after the other: each item with every item of the next one that has the same key. Where fields have the same name, later branches win. */
export function joinItems(
  branches: readonly Branch[],
  how: Join,
): { items: Item[]; origins: number[][]; note?: string } {
  let place = 0;
  const [first = [], ...others] = branches.map(({ from, items }) =>
    items.map((item): Row => ({ item, key: keyOf(item, how), from, places: [place++], isMatched: false })),
  );
  const leftOut: Row[] = [];
  const rows = others.reduce((left, right) => joinTwo(left, right, { join: how.join, leftOut }), first);
  const alone = others.length > 0 ? rows.filter(({ isMatched }) => !isMatched) : [];
  const note = [...describe(alone, "kept"), ...describe(leftOut, "left out")].join(" ");
  return {
    items: rows.map(({ item }) => item),
    origins: rows.map(({ places }) => places),
    ...(note === "" ? {} : { note }),
  };
}

/** Nothing equals nothing: an item without the field, or with null in it, has no match. */
function keyOf(item: Item, { key, compare }: Join): string | undefined {
  const value = Object.hasOwn(item, key) ? item[key] : undefined;
  if (value === undefined || value === null) return undefined;
  return compare === "loose" && typeof value !== "object" ? String(value) : JSON.stringify(value);
}

function joinTwo(left: Row[], right: Row[], { join, leftOut }: { join: Join["join"]; leftOut: Row[] }): Row[] {
  const byKey = Map.groupBy(right, ({ key }) => key);
  const partnersOf = ({ key }: Row): Row[] => (key === undefined ? [] : (byKey.get(key) ?? []));
  const most = left.reduce((sum, row) => sum + Math.max(1, partnersOf(row).length), right.length);
  if (most > mostRows) throw new Refusal("outputs_too_large", `The join would give more than ${mostRows} items.`);
  const joined = left.flatMap((row) => {
    const partners = partnersOf(row);
    if (partners.length > 0) return partners.map((partner) => pair(row, partner));
    if (join !== "inner") return [row];
    leftOut.push(row);
    return [];
  });
  const alone = right.filter(({ isMatched }) => !isMatched);
  if (join === "outer") return [...joined, ...alone];
  leftOut.push(...alone);
  return joined;
}

function pair(row: Row, partner: Row): Row {
  partner.isMatched = true;
  return {
    ...row,
    item: { ...row.item, ...partner.item },
    places: [...row.places, ...partner.places],
    isMatched: true,
  };
}

function describe(rows: Row[], fate: string): string[] {
  if (rows.length === 0) return [];
  const counts = [...Map.groupBy(rows, ({ from }) => from)].map(
    ([from, { length }]) => `${length} ${length === 1 ? "item" : "items"} from ${from}`,
  );
  return [`Found no match and were ${fate}: ${counts.join(", ")}.`];
}
