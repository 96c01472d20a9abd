import { defineProvider } from "../../contract/provider.ts";
import { stripeCredential } from "./credential.ts";
import { stripeWebhook } from "./webhook.ts";

export const provider = defineProvider({
  id: "stripe",
  title: "Stripe",
  description: "Look up payments and refund them.",
  synonyms: ["payments", "refund", "billing", "charge"],
  credential: stripeCredential,
  webhook: stripeWebhook,
});
