import { z } from "zod";
import { condition, findConditionFaults } from "../conditions/condition-field.ts";
import { defineEngineNode } from "../engine-node.ts";

export const filter = defineEngineNode({
  id: "filter",
  title: "Filter",
  section: "data",
  synonyms: ["where", "keep", "remove", "exclude", "if", "condition"],
  description: "Passes on the items for which the condition is true. The others end here.",
  per: "item",
  input: z.strictObject({
    condition: condition(
      "Rows that compare fields, or JSONata that gives true or false for the incoming item, e.g. $input.amount > 100.",
    ),
  }),
  findFaults: ({ condition: written }) => findConditionFaults(written, "/condition"),
  run: async ({ parameters, items }) => ({ outputs: { out: parameters.condition ? items : [] } }),
});
