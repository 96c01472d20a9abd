import { z } from "zod";
import type { FieldFault } from "../../base/refusal.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineEngineNode, type Item } from "../engine-node.ts";
import { isFreeName, notFree } from "../wire.ts";
import { findFieldFaults, itemField, nameOf, toKey, valueAt } from "./item-field.ts";
import { compareValues } from "./sort-and-limit.ts";

const operations = ["count", "sum", "average", "min", "max", "collect"] as const;

const value = z
  .strictObject({
    name: z.string().min(1).max(200).refine(isFreeName, notFree).describe("Name of the field that gets the result."),
    operation: z
      .enum(operations)
      .describe(
        "count: how many items, or how many have the field. sum, average, min, max: of the field. collect: all its values as a list, or all items.",
      ),
    field: itemField("What is added up, compared or collected.").optional(),
  })
  .refine(({ operation, field }) => field !== undefined || operation === "count" || operation === "collect", {
    path: ["field"],
    message: "is required, except for count and collect",
  });
type Value = z.output<typeof value>;

export const aggregate = defineEngineNode({
  id: "aggregate",
  title: "Aggregate",
  section: "data",
  synonyms: ["group by", "sum", "count", "average", "min", "max", "summarize", "total", "collect", "pivot"],
  description:
    "Makes one item of all, or one for each group: with counts, sums, averages or lists. Items without a field do not count for it.",
  per: "list",
  input: z.strictObject({
    groupBy: z
      .array(itemField("Items with the same value belong together."))
      .max(10)
      .default([])
      .describe("Fields whose values make a group. Without any, all items are one."),
    values: z.array(value).min(1).max(50).describe("What is told about each group.").meta({ title: "Results" }),
  }),
  findFaults: ({ groupBy, values }) => findFaults(toList(groupBy), toList(values)),
  async run({ parameters: { groupBy, values }, items }) {
    const [fault] = findFaults(groupBy, values);
    if (fault) throw refuseInput(fault.pointer, fault.detail);
    const places = [...items.entries()];
    const groups =
      groupBy.length === 0
        ? [places]
        : [...Map.groupBy(places, ([, item]) => toKey(groupBy.map((field) => valueAt(item, field)))).values()];
    return {
      outputs: {
        out: groups.map((group) =>
          describeGroup(
            group.map(([, item]) => item),
            { groupBy, values },
          ),
        ),
      },
      origins: { out: groups.map((group) => group.map(([place]) => place)) },
    };
  },
});

const toList = (given: unknown): unknown[] => (Array.isArray(given) ? given : []);

function describeGroup(items: Item[], { groupBy, values }: { groupBy: string[]; values: Value[] }): Item {
  const [first = {}] = items;
  return Object.fromEntries([
    ...groupBy.map((field) => [nameOf(field), valueAt(first, field) ?? null] as const),
    ...values.map((one, index) => [one.name, combine(items, one, `/values/${index}/field`)] as const),
  ]);
}

function combine(items: Item[], { operation, field }: Value, pointer: string): unknown {
  const found =
    field === undefined ? items : items.map((item) => valueAt(item, field)).filter((one) => one !== undefined);
  switch (operation) {
    case "count":
      return found.length;
    case "collect":
      return found;
    case "min":
    case "max":
      return extremeOf(found, { operation, pointer });
    case "sum":
      return add(found, pointer);
    case "average":
      return found.length === 0 ? null : add(found, pointer) / found.length;
  }
}

/** A text among numbers would make a total that looks right and is not. */
function add(found: unknown[], pointer: string): number {
  return found.reduce<number>((sum, one) => {
    if (typeof one !== "number") throw refuseInput(pointer, "must lead to numbers; an item has something else there");
    return sum + one;
  }, 0);
}

function extremeOf(found: unknown[], { operation, pointer }: { operation: "min" | "max"; pointer: string }): unknown {
  const kinds = new Set(found.map((one) => typeof one));
  if (kinds.size > 1 || ![...kinds].every((kind) => kind === "number" || kind === "string"))
    throw refuseInput(pointer, "must lead to numbers only, or to texts only");
  const sorted = found.toSorted(compareValues);
  return (operation === "min" ? sorted[0] : sorted.at(-1)) ?? null;
}

function findFaults(groupBy: unknown[], values: unknown[]): FieldFault[] {
  const taken = new Set<string>();
  const check = (name: unknown, pointer: string): FieldFault[] => {
    if (typeof name !== "string") return [];
    if (taken.has(name)) return [{ pointer, detail: `would be a second field called ${name}` }];
    taken.add(name);
    return [];
  };
  return [
    ...groupBy.flatMap((field, index) => [
      ...findFieldFaults(field, `/groupBy/${index}`),
      ...check(typeof field === "string" ? nameOf(field) : undefined, `/groupBy/${index}`),
    ]),
    ...values.flatMap((one, index) => {
      const { name, field } = (one ?? {}) as Record<string, unknown>;
      return [...findFieldFaults(field, `/values/${index}/field`), ...check(name, `/values/${index}/name`)];
    }),
  ];
}
