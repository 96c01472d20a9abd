import { defineProvider } from "../../contract/provider.ts";
import { whatsappCredential } from "./credential.ts";
import { whatsappWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "whatsapp",
  title: "WhatsApp",
  description: "Send WhatsApp Business messages.",
  synonyms: ["chat", "message", "meta"],
  credential: whatsappCredential,
  webhook: whatsappWebhook,
});
