import { defineProvider } from "../../contract/provider.ts";
import { notionCredential } from "./credential.ts";
import { newPage } from "./poll-pages.ts";

export const provider = defineProvider({
  id: "notion",
  title: "Notion",
  description: "Search, read and create Notion pages.",
  synonyms: ["wiki", "pages", "notes", "database"],
  credential: notionCredential,
  polls: [newPage],
});
