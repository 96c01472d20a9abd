import { z } from "zod";
import { condition as conditionField, findConditionFaults } from "../conditions/condition-field.ts";
import { defineEngineNode } from "../engine-node.ts";

export const condition = defineEngineNode({
  id: "condition",
  title: "Condition",
  section: "logic",
  synonyms: ["if", "if else", "branch", "boolean"],
  description: "Sends each item one of two ways. Items leave unchanged through true or false.",
  per: "item",
  input: z.strictObject({
    condition: conditionField(
      "Rows that compare fields, or JSONata that gives true or false for the incoming item, e.g. $input.amount > 100.",
    ),
  }),
  ways: () => ["true", "false"],
  findFaults: ({ condition: written }) => findConditionFaults(written, "/condition"),
  run: async ({ parameters, items }) => ({ outputs: { [String(parameters.condition)]: items } }),
});
