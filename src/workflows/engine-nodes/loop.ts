import { z } from "zod";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineEngineNode } from "../engine-node.ts";
import { anyExpression } from "./expression.ts";
import { toItems } from "./to-items.ts";

const mostElements = 1000;

export const loop = defineEngineNode({
  id: "loop",
  title: "Loop over items",
  section: "logic",
  synonyms: ["for each", "foreach", "iterate", "split", "split out", "split in batches"],
  description:
    "Makes one item of each element of a list, so that what follows is executed once for each. An element that is no object becomes {value}.",
  per: "list",
  input: z.strictObject({
    list: anyExpression(
      "JSONata that gives the list, for example $nodes.fetch.first.rows. Without it: the incoming items.",
    ).optional(),
    limit: z
      .int()
      .min(1)
      .max(mostElements)
      .optional()
      .describe(`Takes the first so many elements. Without it more than ${mostElements} elements are refused.`),
  }),
  async run({ parameters, items }) {
    const elements = parameters.list === undefined ? items : toItems(parameters.list);
    const { limit } = parameters;
    if (limit === undefined && elements.length > mostElements)
      throw refuseInput("/list", `has more than ${mostElements} elements`);
    return { outputs: { out: elements.slice(0, limit) } };
  },
});
