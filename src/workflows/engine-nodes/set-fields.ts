import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";

export const setFields = defineEngineNode({
  id: "set_fields",
  title: "Set fields",
  section: "data",
  synonyms: ["edit fields", "set", "assign", "rename", "map"],
  description: "Gives each item further fields, or other values in those it has.",
  per: "item",
  input: z.strictObject({
    fields: z
      .record(z.string().min(1).max(200), z.unknown())
      .describe(
        'Field name to value, e.g. {"greeting": "Hello {{ $input.name }}"}; values may be or contain references.',
      ),
    keepOthers: z.boolean().default(true).describe("Whether the item's other fields stay."),
  }),
  run: async ({ parameters: { fields, keepOthers }, items }) => ({
    outputs: { out: items.map((item) => ({ ...(keepOthers ? item : {}), ...fields })) },
  }),
});
