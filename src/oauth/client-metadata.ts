import { errors } from "oidc-provider";
import { isLoopbackHost } from "./describe-client.ts";

type Metadata = Record<string, unknown>;

const maxRedirects = 10;
const maxNameLength = 100;

/** Everything else a client says about itself is neither kept nor given back. */
const keptFields = [
  "client_id",
  "client_name",
  "client_uri",
  "logo_uri",
  "tos_uri",
  "policy_uri",
  "contacts",
  "redirect_uris",
  "token_endpoint_auth_method",
];

/**
 * What the library is told about a client, whether it registers or has a document of its own. Clients ask for grants and scopes that
 * are not theirs to choose here, and leave out that they are native; what could harm somebody is refused.
 */
export function normaliseClientMetadata(given: unknown): Metadata {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid("the metadata must be a JSON object");
  const kept = keptFields.flatMap((name) => (name in given ? [[name, (given as Metadata)[name]] as const] : []));
  const metadata: Metadata = { token_endpoint_auth_method: "none", ...Object.fromEntries(kept) };
  const redirects = readRedirects(metadata.redirect_uris);
  requireName(metadata.client_name);
  return {
    ...metadata,
    application_type: redirects.every(({ protocol }) => protocol === "https:") ? "web" : "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

const invalid = (description: string) => new errors.InvalidClientMetadata(description);

function requireName(name: unknown): void {
  if (name === undefined || (typeof name === "string" && name.length <= maxNameLength)) return;
  throw invalid(`client_name must be a text of at most ${maxNameLength} characters`);
}

function readRedirects(given: unknown): URL[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid("redirect_uris must be a list of addresses");
  if (given.length > maxRedirects) throw invalid(`redirect_uris must not hold more than ${maxRedirects} addresses`);
  return given.map(readRedirect);
}

function readRedirect(given: unknown): URL {
  const url = typeof given === "string" ? URL.parse(given) : null;
  if (!url || typeof given !== "string") throw invalid("redirect_uris must hold absolute addresses");
  // Not only what a parser makes of it: browsers and parsers disagree about the rest.
  if (/[\s#*\\\p{C}]/u.test(given)) throw invalid("redirect_uris must not hold a fragment, a wildcard or white space");
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?]*@/.test(given))
    throw invalid("redirect_uris must not hold a user");
  if (forbiddenSchemes.has(url.protocol)) throw invalid(`redirect_uris must not use ${url.protocol}`);
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw invalid("redirect_uris may use http on loopback addresses only");
  return url;
}

const forbiddenSchemes = new Set([
  ...["javascript:", "data:", "vbscript:", "file:", "blob:", "about:", "view-source:", "filesystem:"],
  ...["ws:", "wss:", "ftp:", "mailto:", "tel:", "chrome:", "resource:"],
]);
