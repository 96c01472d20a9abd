import { isSameText } from "../../base/same-text.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook } from "../../contract/webhook.ts";

export const githubWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const expected = `sha256=${hmacHex("sha256", secret, body)}`;
    if (!isSameText(headers["x-hub-signature-256"] ?? "", expected)) return { accepted: false, reason: "the signature does not match" };
    return { accepted: true, event: headers["x-github-event"] ?? null, deliveryId: headers["x-github-delivery"] ?? null };
  },
});
