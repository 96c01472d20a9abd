import { createHmac } from "node:crypto";
import { Provider } from "oidc-provider";

type Token = { generateTokenId: (this: Token) => string; scope?: string; kind: string };

/**
 * The tokens a refresh makes follow from the refresh token it was given, so that a repeated refresh makes the same ones again:
 * in any process, at the same moment, or after a crash half-way. Without the key nobody can tell the next token from the last.
 */
export function makeRefreshRepeatable(provider: Provider, key: Buffer): void {
  for (const model of [provider.RefreshToken, provider.AccessToken]) {
    const prototype = model.prototype as unknown as Token;
    const random = prototype.generateTokenId;
    prototype.generateTokenId = function generate() {
      const id = random.call(this);
      const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
      if (rotated === undefined) return id;
      // With its scope, because a repeated refresh may ask for less.
      return createHmac("sha256", key)
        .update(JSON.stringify([rotated.jti, this.kind, this.scope]))
        .digest("base64url");
    };
  }
}
