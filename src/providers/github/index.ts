import { defineProvider } from "../../contract/provider.ts";
import { githubCredential } from "./credential.ts";
import { githubWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "github",
  title: "GitHub",
  description: "Work with issues and files in GitHub repositories.",
  synonyms: ["git", "repository", "issue", "pull request", "code"],
  credential: githubCredential,
  webhook: githubWebhook,
});
