import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { apiVersions } from "./api-version.ts";

export const stripeCredential = defineCredential({
  type: "stripe",
  title: "Stripe",
  baseUrl: "https://api.stripe.com",
  // Files are kept there.
  origins: ["https://files.stripe.com"],
  headers: { "Stripe-Version": apiVersions.rest.version },
  variants: {
    bearer: withFields(
      "Secret key",
      { secretKey: secret("Secret or restricted key."), webhookSecret: secret("Verifies incoming events.").optional() },
      ({ secretKey }) => ({ headers: { authorization: `Bearer ${secretKey}` } }),
    ),
  },
  check: async ({ http }) => void (await http.json({ path: "/v1/payment_intents", query: { limit: 1 } })),
});
