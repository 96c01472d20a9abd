import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineEngineNode } from "../engine-node.ts";
import { mentionsInput } from "../references.ts";

export const aiAnswer = defineEngineNode({
  id: "ai_answer",
  title: "AI answer",
  section: "ai",
  synonyms: ["llm", "prompt", "chat", "agent", "language model"],
  description:
    "Asks a language model and passes on its answer as {text}. Once for each incoming item where the question speaks of $input, otherwise once.",
  reachesOut: true,
  per: (parameters) => (mentionsInput(parameters) ? "item" : "list"),
  input: z.strictObject({
    system: z.string().max(100_000).default("").describe("Who the model is and how it answers."),
    prompt: z.string().min(1).max(1_000_000).describe("What it is asked."),
  }),
  async run({ parameters, answer }) {
    if (!answer) throw new Refusal("model_not_configured", "No language model is configured.");
    return { outputs: { out: [{ text: await answer(parameters) }] } };
  },
});
