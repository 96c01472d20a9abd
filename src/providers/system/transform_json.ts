import { z } from "zod";
import { defineAction } from "../../contract/action.ts";

export const action = defineAction({
  id: "system_transform_json",
  title: "Transform JSON",
  synonyms: ["jsonata", "map", "filter", "code"],
  description: "Apply a JSONata expression to data.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  credential: null,
  evaluatedInputs: ["expression"],
  input: z.strictObject({
    data: z.unknown().describe('What the expression is applied to, e.g. {"orders": [{"price": 5}]}.'),
    expression: z.string().min(1).describe("JSONata expression, e.g. $sum(orders.price)."),
  }),
  output: z.object({ result: z.unknown().optional().describe("What the expression gave.") }),
  async run({ input: { data, expression }, evaluateExpression }) {
    return [{ result: await evaluateExpression(expression, data) }];
  },
});
