import { isSameText } from "../../base/same-text.ts";
import { at, listAt, textAt } from "../../contract/read.ts";
import { hmacHex } from "../../contract/signature.ts";
import { defineWebhook, readWebhookBody, type WebhookRequest, type WebhookVerdict } from "../../contract/webhook.ts";

export const whatsappWebhook = defineWebhook({
  secretField: "appSecret",
  verify(request, { secret, credential }) {
    if (request.method === "GET") return answerSubscriptionCheck(request, credential?.verifyToken);
    const expected = `sha256=${hmacHex("sha256", secret, request.body)}`;
    if (!isSameText(request.headers["x-hub-signature-256"] ?? "", expected))
      return { accepted: false, reason: "the signature does not match" };
    const event = textAt(readWebhookBody(request), "entry", 0, "changes", 0, "field") ?? null;
    // One delivery carries many messages and has no id; its signature is the same only when all of it is.
    return { accepted: true, event, deliveryId: expected };
  },
  originOf(payload) {
    const values = listAt(payload, "entry").flatMap((entry) => listAt(entry, "changes").map((change) => at(change, "value")));
    if (values.some((value) => listAt(value, "messages").length > 0)) return undefined;
    if (values.some((value) => listAt(value, "message_echoes").length > 0)) return { by: "own" };
    const receipt = values.flatMap((value) => listAt(value, "statuses"))[0];
    return receipt === undefined ? undefined : { by: "receipt", to: textAt(receipt, "recipient_id") ?? "" };
  },
});

function answerSubscriptionCheck({ query }: WebhookRequest, verifyToken: unknown): WebhookVerdict {
  const isAsked = query["hub.mode"] === "subscribe" && typeof verifyToken === "string";
  if (!isAsked || !isSameText(query["hub.verify_token"] ?? "", verifyToken))
    return { accepted: false, reason: "the verify token does not match" };
  return { accepted: true, answer: { status: 200, contentType: "text/plain", body: query["hub.challenge"] ?? "" } };
}
