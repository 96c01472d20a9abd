import { defineProvider } from "../../contract/provider.ts";
import { slackCredential } from "./credential.ts";
import { slackWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "slack",
  title: "Slack",
  description: "Post messages and read channels in Slack.",
  synonyms: ["chat", "channel", "message"],
  credential: slackCredential,
  webhook: slackWebhook,
});
