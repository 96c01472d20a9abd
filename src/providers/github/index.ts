import { defineProvider } from "../../contract/provider.ts";
import { githubCredential } from "./credential.ts";
import { githubWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "github",
  title: "GitHub",
  description: "Work with issues and files in GitHub repositories.",
  credential: githubCredential,
  webhook: githubWebhook,
});
