import { defineProvider } from "../../contract/provider.ts";
import { telegramCredential } from "./credential.ts";
import { telegramWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "telegram",
  title: "Telegram",
  description: "Send messages and photos as a Telegram bot.",
  synonyms: ["chat", "bot", "message"],
  credential: telegramCredential,
  webhook: telegramWebhook,
});
