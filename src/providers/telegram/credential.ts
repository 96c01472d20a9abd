import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { readTelegramFault, readTelegramRefusal } from "./client.ts";

export const telegramCredential = defineCredential({
  type: "telegram_bot",
  title: "Telegram",
  baseUrl: "https://api.telegram.org",
  variants: {
    apiKey: withFields(
      "Bot token",
      { botToken: secret("Token of @BotFather."), webhookSecret: secret("secret_token of setWebhook.").optional() },
      ({ botToken }) => ({ pathPrefix: `/bot${encodeURIComponent(botToken).replace("%3A", ":")}` }),
    ),
  },
  readFault: readTelegramFault,
  readRefusal: readTelegramRefusal,
  check: async ({ http }) => void (await http.json({ path: "/getMe" })),
});
