import { splitScopes } from "../base/split-scopes.ts";
import type { CredentialData, OAuth2 } from "../contract/credential.ts";

/** Where the browser is sent, and what is asked for there. An address of one's own keeps what it says; what is the account's comes along. */
export function addScopes(url: URL, oauth2: OAuth2, data: CredentialData): void {
  const own = url.searchParams.get("scope");
  const asked = own === null ? oauth2.scopes : splitScopes(own);
  const scopes = new Set([...asked, ...splitScopes(data.furtherScopes)]);
  if (scopes.size > 0 && (own === null || scopes.size > new Set(asked).size))
    url.searchParams.set("scope", [...scopes].join(oauth2.scopeSeparator));
}
