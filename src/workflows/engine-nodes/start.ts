import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";

export const start = defineEngineNode({
  id: "start",
  title: "Start",
  section: "trigger",
  synonyms: ["trigger", "begin", "entry"],
  description:
    "Where a run begins. Optional: every node without an incoming edge is a beginning. Passes on what started the run.",
  per: "list",
  input: z.strictObject({}),
  run: async ({ items }) => ({ outputs: { out: items } }),
});
