import { createHmac } from "node:crypto";

export function hmacHex(algorithm: "sha1" | "sha256", secret: string | Buffer, ...parts: (string | Buffer)[]): string {
  const hmac = createHmac(algorithm, secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest("hex");
}
