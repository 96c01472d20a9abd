import { defineProvider } from "../../contract/provider.ts";
import { openaiCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "openai",
  title: "OpenAI",
  section: "ai",
  description: "Generate text and images with OpenAI models.",
  synonyms: ["chatgpt", "gpt", "llm", "ai", "images", "language model"],
  credential: openaiCredential,
});
