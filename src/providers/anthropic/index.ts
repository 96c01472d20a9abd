import { defineProvider } from "../../contract/provider.ts";
import { anthropicCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "anthropic",
  title: "Anthropic",
  description: "Generate text with Claude models.",
  credential: anthropicCredential,
});
