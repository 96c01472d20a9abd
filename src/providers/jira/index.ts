import { defineProvider } from "../../contract/provider.ts";
import { jiraCredential } from "./credential.ts";
import { newIssue } from "./poll-issues.ts";

export const provider = defineProvider({
  id: "jira",
  title: "Jira Cloud",
  description: "Search, create and comment on Jira issues.",
  synonyms: ["atlassian", "issue", "ticket", "project"],
  credential: jiraCredential,
  polls: [newIssue],
});
