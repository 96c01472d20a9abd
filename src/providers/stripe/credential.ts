import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { apiVersions } from "./api-version.ts";
import { listCustomers } from "./list-customers.ts";

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
  readFault: (body, response) => {
    const fault = readCommonFault(body, response);
    const named = /Having the '(\w+)' permission/.exec(fault.message ?? "")?.[1];
    return named === undefined ? fault : { ...fault, missingScopes: [named] };
  },
  check: async ({ http }) => void (await http.json({ path: "/v1/payment_intents", query: { limit: 1 } })),
  choices: { customers: { load: listCustomers } },
});
