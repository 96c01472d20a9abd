import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";
import { condition as conditionField } from "./expression.ts";

export const condition = defineEngineNode({
  id: "condition",
  title: "Condition",
  synonyms: ["if", "branch", "filter", "boolean"],
  description: "Sends each item one of two ways. Items leave unchanged through true or false.",
  per: "item",
  input: z.strictObject({
    condition: conditionField("JSONata that gives true or false for the incoming item, e.g. $input.amount > 100."),
  }),
  ways: () => ["true", "false"],
  run: async ({ parameters, items }) => ({ outputs: { [String(parameters.condition)]: items } }),
});
