import { createHmac } from "node:crypto";

export const hmacHex = (algorithm: "sha1" | "sha256", secret: string | Buffer, ...parts: (string | Buffer)[]): string =>
  digest(algorithm, secret, parts, "hex");

export const hmacBase64 = (algorithm: "sha1" | "sha256", secret: string | Buffer, ...parts: (string | Buffer)[]): string =>
  digest(algorithm, secret, parts, "base64");

function digest(algorithm: string, secret: string | Buffer, parts: (string | Buffer)[], encoding: "hex" | "base64"): string {
  const hmac = createHmac(algorithm, secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}
