import { createHmac, generateKeyPairSync, sign } from "node:crypto";

// What the providers send along with a delivery, made as their own documentation says.

const hmac = (secret: string | Buffer, text: string | Uint8Array, encoding: "hex" | "base64" = "hex") =>
  createHmac("sha256", secret).update(text).digest(encoding);
const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000));

export const signGithub = (secret: string, body: string, deliveryId: string) => ({
  "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
  "x-github-delivery": deliveryId,
  "x-github-event": "issues",
});

export const signSlack = (secret: string, body: string, at = new Date()) => ({
  "x-slack-request-timestamp": seconds(at),
  "x-slack-signature": `v0=${hmac(secret, `v0:${seconds(at)}:${body}`)}`,
});

export const signStripe = (secret: string, body: string, at = new Date()) => ({
  "stripe-signature": `t=${seconds(at)},v1=${hmac(secret, `${seconds(at)}.${body}`)}`,
});

export const signWhatsapp = (secret: string, body: string) => ({
  "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
});

export const signStandard = (
  secret: string,
  body: string | Uint8Array,
  { id, at = new Date() }: { id: string; at?: Date },
) => ({
  "webhook-id": id,
  "webhook-timestamp": seconds(at),
  "webhook-signature": `v1,${hmac(Buffer.from(secret.replace("whsec_", ""), "base64"), Buffer.concat([Buffer.from(`${id}.${seconds(at)}.`), Buffer.from(body)]), "base64")}`,
});

export function createDiscordSigner() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex"),
    sign: (body: string, at = new Date()) => ({
      "x-signature-timestamp": seconds(at),
      "x-signature-ed25519": sign(null, Buffer.from(seconds(at) + body), privateKey).toString("hex"),
    }),
  };
}
