import { defineProvider } from "../../contract/provider.ts";
import { discordCredential } from "./credential.ts";
import { discordWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "discord",
  title: "Discord",
  description: "Post to Discord channels as a bot.",
  synonyms: ["chat", "bot", "guild"],
  credential: discordCredential,
  webhook: discordWebhook,
});
