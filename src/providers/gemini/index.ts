import { defineProvider } from "../../contract/provider.ts";
import { geminiCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "gemini",
  title: "Google Gemini",
  section: "ai",
  description: "Generate text with Gemini models.",
  synonyms: ["google ai", "llm", "ai", "chat", "language model"],
  credential: geminiCredential,
});
