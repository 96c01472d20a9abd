import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";
import { anyExpression } from "./expression.ts";
import { toItems } from "./to-items.ts";

export const transform = defineEngineNode({
  id: "transform",
  title: "Transform",
  section: "data",
  synonyms: ["code", "javascript", "script", "function", "jsonata", "map", "expression"],
  description:
    "Makes new items with a JSONata expression. A list becomes one item for each element, a value that is no object becomes {value}, nothing becomes no item.",
  per: ({ over }) => (over === "list" ? "list" : "item"),
  input: z.strictObject({
    expression: anyExpression(
      'JSONata, e.g. {"total": $sum($input.prices)}. $input is the incoming item, or the list of all of them.',
    ),
    over: z
      .enum(["item", "list"])
      .default("item")
      .describe("item: once for each incoming item. list: once for all of them."),
  }),
  run: async ({ parameters: { expression } }) => ({ outputs: { out: toItems(expression) } }),
});
