import { createPublicKey, verify as verifySignature } from "node:crypto";
import { at, integerAt, known, textAt } from "../../contract/read.ts";
import { defineWebhook, readWebhookBody } from "../../contract/webhook.ts";
import { discordRegistration } from "./set-up-webhook.ts";

const toleranceSeconds = 300;
const eventNames: Record<number, string> = {
  2: "application_command",
  3: "message_component",
  4: "application_command_autocomplete",
  5: "modal_submit",
};

export const discordWebhook = defineWebhook({
  secretField: "applicationPublicKey",
  verify({ headers, body }, { secret, now }) {
    const timestamp = headers["x-signature-timestamp"] ?? "";
    const signature = headers["x-signature-ed25519"] ?? "";
    if (!isSigned(Buffer.concat([Buffer.from(timestamp), body]), signature, secret))
      return { accepted: false, reason: "the signature does not match" };
    const isFresh = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
    if (!isFresh) return { accepted: false, reason: "the timestamp is too far from now" };
    const interaction = readWebhookBody({ body });
    const type = integerAt(interaction, "type") ?? 0;
    if (type === 1)
      return { accepted: true, answer: { status: 200, contentType: "application/json", body: '{"type":1}' } };
    return { accepted: true, event: eventNames[type] ?? null, deliveryId: textAt(interaction, "id") ?? null };
  },
  registration: discordRegistration,
  namesOf: (event, interaction) =>
    known([textAt(interaction, "data", "name"), textAt(interaction, "data", "custom_id")]).map(
      (name) => `${event}.${name}`,
    ),
  placesOf: (interaction) => known([textAt(interaction, "channel_id"), textAt(interaction, "guild_id")]),
  originOf(interaction) {
    const user = at(interaction, "member", "user") ?? at(interaction, "user");
    return at(user, "bot") === true
      ? { by: textAt(user, "id") === textAt(interaction, "application_id") ? "own" : "bot" }
      : undefined;
  },
});

/** Signature and key are hexadecimal. */
function isSigned(bytes: Buffer, signature: string, publicKey: string): boolean {
  const keyBytes = Buffer.from(publicKey, "hex");
  if (keyBytes.length !== 32) return false;
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: keyBytes.toString("base64url") },
    format: "jwk",
  });
  return verifySignature(null, bytes, key, Buffer.from(signature, "hex"));
}
