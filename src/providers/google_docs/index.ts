import { defineProvider } from "../../contract/provider.ts";
import { googleDocsCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "google_docs",
  title: "Google Docs",
  description: "Create and read Google documents.",
  synonyms: ["document", "text", "write"],
  credential: googleDocsCredential,
});
