import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const hmacHex = (algorithm: "sha1" | "sha256", secret: string | Buffer, ...parts: (string | Buffer)[]): string =>
  digest(algorithm, secret, parts, "hex");

export const hmacBase64 = (algorithm: "sha1" | "sha256", secret: string | Buffer, ...parts: (string | Buffer)[]): string =>
  digest(algorithm, secret, parts, "base64");

/** In the same time whatever the texts are, so that a signature cannot be guessed letter by letter. */
export function isSameText(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function digest(algorithm: string, secret: string | Buffer, parts: (string | Buffer)[], encoding: "hex" | "base64"): string {
  const hmac = createHmac(algorithm, secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
}
