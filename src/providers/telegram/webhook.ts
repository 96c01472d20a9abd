import { isSameText } from "../../base/same-text.ts";
import { recordAt, textAt } from "../../contract/read.ts";
import { defineWebhook, readWebhookBody } from "../../contract/webhook.ts";

export const telegramWebhook = defineWebhook({
  secretField: "webhookSecret",
  verify({ headers, body }, { secret }) {
    const token = headers["x-telegram-bot-api-secret-token"];
    if (token === undefined || !isSameText(token, secret)) return { accepted: false, reason: "the secret token does not match" };
    const update = recordAt(readWebhookBody({ body })) ?? {};
    const event = Object.keys(update).find((name) => name !== "update_id") ?? null;
    return { accepted: true, event, deliveryId: textAt(update, "update_id") ?? null };
  },
});
