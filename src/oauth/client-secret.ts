import { createHash } from "node:crypto";
import type { Provider } from "oidc-provider";
import { isSameText } from "../base/same-text.ts";

/** The library makes the secrets, at random and long, so a plain hash says nothing about them. */
export const hashSecret = (secret: string): string =>
  `sha256:${createHash("sha256").update(secret).digest("base64url")}`;

/** The library compares what it finds in the database, where only the hash is. */
export function compareHashedSecrets({ Client }: Provider): void {
  Client.prototype.compareClientSecret = function compare(given: string): boolean {
    return isSameText(hashSecret(given), this.clientSecret ?? "");
  };
}
