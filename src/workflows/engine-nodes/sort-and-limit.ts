import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";
import { createReader, findFieldFaults, itemField } from "./item-field.ts";

const order = z.strictObject({
  field: itemField("What the items are ordered by."),
  order: z
    .enum(["ascending", "descending"])
    .default("ascending")
    .describe("ascending: smallest, earliest or A first. descending: the other way round."),
});
type Order = z.output<typeof order>;

export const sortAndLimit = defineEngineNode({
  id: "sort_and_limit",
  title: "Sort and limit",
  section: "data",
  synonyms: ["sort", "order by", "limit", "top", "first", "last", "slice", "skip"],
  description: "Puts the items in order and passes on the first of them. Items without the field come last.",
  per: "list",
  input: z.strictObject({
    by: z
      .array(order)
      .max(10)
      .default([])
      .describe("The first decides; the others count where items are the same. Without any the order stays."),
    skip: z.int().min(0).max(1_000_000).default(0).describe("Leaves out the first so many items."),
    limit: z.int().min(0).max(1_000_000).optional().describe("Passes on at most so many. Without it: all."),
  }),
  findFaults: ({ by }) =>
    (Array.isArray(by) ? by : []).flatMap((entry: unknown, index) =>
      typeof entry === "object" && entry !== null && "field" in entry
        ? findFieldFaults(entry.field, `/by/${index}/field`)
        : [],
    ),
  async run({ parameters: { by, skip, limit }, items }) {
    const readers = by.map(({ field }) => createReader(field));
    const places = items.map((item, place) => ({ item, place, keys: readers.map((read) => read(item)) }));
    const sorted = places.toSorted((one, other) => compareKeys(one.keys, other.keys, by));
    const taken = sorted.slice(skip, limit === undefined ? undefined : skip + limit);
    return { outputs: { out: taken.map(({ item }) => item) }, origins: { out: taken.map(({ place }) => place) } };
  },
});

function compareKeys(one: unknown[], other: unknown[], by: Order[]): number {
  for (const [index, each] of by.entries()) {
    const compared = compareBy(each, one[index], other[index]);
    if (compared !== 0) return compared;
  }
  return 0;
}

/** Nothing is last, whichever way the rest is ordered. */
function compareBy({ order: direction }: Order, one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return direction === "ascending" ? compareValues(one, other) : compareValues(other, one);
}

const kinds = ["number", "string", "boolean", "object"];
const texts = new Intl.Collator("en");

/** Numbers, then texts as in a dictionary, then false and true; what else there is stays in its order. */
export function compareValues(one: unknown, other: unknown): number {
  const byKind = kinds.indexOf(typeof one) - kinds.indexOf(typeof other);
  if (byKind !== 0) return byKind;
  if (typeof one === "string") return texts.compare(one, String(other));
  return typeof one === "object" ? 0 : Number(one) - Number(other);
}
