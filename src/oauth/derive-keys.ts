import { createPrivateKey, hkdfSync } from "node:crypto";
import type { JWK } from "oidc-provider";

export type OAuthKeys = ReturnType<typeof deriveKeys>;

/** Every key of the authorization server comes from the cookie key, so there is nothing more to keep, share or lose. */
export function deriveKeys(cookieKey: Buffer, previousCookieKeys: Buffer[]) {
  return {
    /** The first signs; cookies signed with the others are still accepted. */
    cookies: [cookieKey, ...previousCookieKeys].map((key) => derive(key, "cookies").toString("base64url")),
    successors: derive(cookieKey, "successors"),
    signing: signingKey(derive(cookieKey, "signing")),
  };
}

const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `switchyard oauth ${purpose}`, 32));

const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** Nothing is signed with it, because tokens are opaque; the library and the metadata of OpenID Connect ask for one. */
function signingKey(seed: Buffer): JWK {
  const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: "der", type: "pkcs8" });
  return { ...(key.export({ format: "jwk" }) as JWK), use: "sig", alg: "Ed25519" };
}
