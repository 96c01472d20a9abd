import { isSameText } from "../../base/same-text.ts";
import { textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook } from "../../contract/webhook.ts";

export const githubWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const expected = `sha256=${hmacHex("sha256", secret, body)}`;
    if (!isSameText(headers["x-hub-signature-256"] ?? "", expected)) return { accepted: false, reason: "the signature does not match" };
    return { accepted: true, event: headers["x-github-event"] ?? null, deliveryId: headers["x-github-delivery"] ?? null };
  },
  originOf: (payload) => (textAt(payload, "sender", "type") === "Bot" ? { by: "bot" } : undefined),
  // What a token does looks like what its person does.
  findOwnSender: async ({ http }) => textAt(await http.json({ path: "/user" }), "id"),
});
