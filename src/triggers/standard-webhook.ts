import { createHmac, randomBytes } from "node:crypto";
import { isSameText } from "../base/same-text.ts";
import type { WebhookRequest, WebhookVerdict } from "../contract/webhook.ts";

const prefix = "whsec_";
const toleranceSeconds = 300;

export const newSigningSecret = (): string => prefix + randomBytes(32).toString("base64");

/** The Standard Webhooks scheme: HMAC-SHA256 over id, timestamp and the body as it was sent. */
export function verifyStandardWebhook(
  { headers, body }: WebhookRequest,
  { secret, now }: { secret: string; now: Date },
): WebhookVerdict {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  // With a dot in it, what was signed could be read as another id and body.
  if (id === "" || id.includes(".")) return { accepted: false, reason: "webhook-id is missing or has a dot" };
  if (!/^\d{1,12}$/.test(timestamp))
    return { accepted: false, reason: "webhook-timestamp is missing or not in seconds" };
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    return { accepted: false, reason: "the timestamp is too far from now" };
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  const expected = `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  const given = (headers["webhook-signature"] ?? "").split(" ");
  // While a secret is being replaced there is one signature for each.
  if (!given.some((signature) => isSameText(signature, expected)))
    return { accepted: false, reason: "the signature does not match" };
  return { accepted: true, event: null, deliveryId: id };
}
