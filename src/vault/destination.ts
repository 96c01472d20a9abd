import { Refusal } from "../base/refusal.ts";
import type { Credential, CredentialData, OAuth2, Variant } from "../contract/credential.ts";
import { encodeSegment } from "../contract/http.ts";

const addressNames = new Set([
  "host",
  "port",
  "endpoint",
  "site",
  "domain",
  "subdomain",
  "server",
  "tenant",
  "region",
  "baseUrl",
]);

/** For whom a key signs and for what: with OAuth a person agrees to that, here the key alone opens it. */
const grantNames = new Set(["subject", "furtherScopes"]);

/** Everything that says where the credential's secrets are sent and what they open, as one text to compare. */
export function destinationsOf({ baseUrl }: Credential, { oauth2, mintToken }: Variant, data: CredentialData): string {
  const isGrant = (name: string) => mintToken !== undefined && grantNames.has(name);
  const fields = Object.entries(data).filter(
    ([name]) => addressNames.has(name) || isGrant(name) || /(Url|Host|Port|Endpoint)$/.test(name),
  );
  const address =
    typeof baseUrl === "function" && data.baseUrl === undefined ? attempt(() => baseUrl(data)) : undefined;
  const urls = oauth2
    ? [attempt(() => addressOf(oauth2, "authorizeUrl", data)), attempt(() => addressOf(oauth2, "tokenUrl", data))]
    : [];
  return JSON.stringify([fields.sort(([one], [other]) => (one < other ? -1 : 1)), address ?? null, urls]);
}

/** The credential's own address, or the provider's with the fields filled in. */
export function addressOf(oauth2: OAuth2, name: "authorizeUrl" | "tokenUrl", data: CredentialData): string {
  const own = data[name];
  if (typeof own === "string") return own;
  return oauth2[name].replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = data[field];
    if (typeof value !== "string")
      throw new Refusal("validation_failed", `${field} is required.`, {
        errors: [{ pointer: `/data/${field}`, detail: "is required" }],
      });
    return encodeSegment(value);
  });
}

function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
