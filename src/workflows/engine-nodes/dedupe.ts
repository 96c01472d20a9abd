import { z } from "zod";
import { defineEngineNode, type Item } from "../engine-node.ts";
import { findFieldFaults, itemField, toKey, valueAt } from "./item-field.ts";

export const dedupe = defineEngineNode({
  id: "dedupe",
  title: "Remove duplicates",
  section: "data",
  synonyms: ["dedupe", "deduplicate", "distinct", "unique"],
  description: "Passes on one of several items that are the same, or that have the same values in the fields you name.",
  per: "list",
  input: z.strictObject({
    by: z
      .array(itemField("Items with the same value are the same."))
      .max(10)
      .default([])
      .describe("Fields that are compared. Without any, the whole items are. An item that has none of them stays."),
    keep: z.enum(["first", "last"]).default("first").describe("Which of those that are the same stays."),
  }),
  findFaults: ({ by }) =>
    (Array.isArray(by) ? by : []).flatMap((field: unknown, index) => findFieldFaults(field, `/by/${index}`)),
  async run({ parameters: { by, keep }, items }) {
    const seen = new Set<string>();
    const isNew = (item: Item): boolean => {
      const values = by.length === 0 ? [item] : by.map((field) => valueAt(item, field));
      if (values.every((value) => value === undefined)) return true;
      const key = toKey(values);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    };
    const places = [...items.entries()];
    const found = (keep === "first" ? places : places.toReversed()).filter(([, item]) => isNew(item));
    const kept = keep === "first" ? found : found.toReversed();
    const leftOut = items.length - kept.length;
    return {
      outputs: { out: kept.map(([, item]) => item) },
      origins: { out: kept.map(([place]) => place) },
      ...(leftOut === 0 ? {} : { note: `${leftOut} of ${items.length} items were left out as duplicates.` }),
    };
  },
});
