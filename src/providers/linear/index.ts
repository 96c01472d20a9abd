import { defineProvider } from "../../contract/provider.ts";
import { linearCredential } from "./credential.ts";
import { newIssue } from "./poll-issues.ts";

export const provider = defineProvider({
  id: "linear",
  title: "Linear",
  description: "Search and create Linear issues.",
  synonyms: ["issue", "ticket", "project"],
  credential: linearCredential,
  polls: [newIssue],
});
