import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineEngineNode } from "../engine-node.ts";

export const stop = defineEngineNode({
  id: "stop",
  title: "Stop with error",
  section: "logic",
  synonyms: ["throw", "fail", "abort", "error"],
  description: "Ends the run as failed, with a message for whoever reads it.",
  per: "list",
  input: z.strictObject({ message: z.string().min(1).max(2000).describe("Why the run ends here.") }),
  ways: () => [],
  async run({ parameters: { message } }) {
    throw new Refusal("stopped_by_workflow", message);
  },
});
