import { defineProvider } from "../../contract/provider.ts";

export const provider = defineProvider({
  id: "system",
  title: "System",
  section: "data",
  description: "Built-in helpers that need no connection.",
  synonyms: ["utilities", "helpers"],
  credential: null,
});
