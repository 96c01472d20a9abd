import { defineProvider } from "../../contract/provider.ts";
import { anthropicCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "anthropic",
  title: "Anthropic",
  section: "ai",
  description: "Generate text with Claude models.",
  synonyms: ["claude", "llm", "ai", "chat", "language model"],
  credential: anthropicCredential,
});
