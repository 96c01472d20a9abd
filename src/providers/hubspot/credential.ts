import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { listAt, textAt, textsAt } from "../../contract/read.ts";
import { apiVersions, contactsPath } from "./api-version.ts";
import { knownScopes } from "./known-scopes.ts";
import { listProperties } from "./list-properties.ts";

// HubSpot names the used-up limit and not the time to wait.
const windowMs: Record<string, number> = { SECONDLY: 1000, TEN_SECONDLY_ROLLING: 10_000 };

export const hubspotCredential = defineCredential({
  type: "hubspot",
  title: "HubSpot",
  baseUrl: "https://api.hubapi.com",
  variants: {
    bearer: withFields(
      "Access token",
      { accessToken: secret("Service key, or the token of a private app.") },
      ({ accessToken }) => ({
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    ),
    oauth2: withOAuth2({
      authorizeUrl: "https://app.hubspot.com/oauth/authorize",
      tokenUrl: `https://api.hubapi.com/oauth/${apiVersions.oauth.version}/token`,
      scopes: ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"],
      knownScopes,
    }),
  },
  readFault: (body) => ({
    code: textAt(body, "category") ?? textAt(body, "errorType"),
    message: textAt(body, "message"),
    retryAfterMs: windowMs[textAt(body, "policyName") ?? ""],
    missingScopes: textAt(body, "category") === "MISSING_SCOPES" ? scopesIn(body) : undefined,
  }),
  check: async ({ http }) => void (await http.json({ path: contactsPath, query: { limit: 1 } })),
  choices: { properties: { load: listProperties } },
});

const scopesIn = (body: unknown): string[] =>
  listAt(body, "errors").flatMap((error) => [
    ...textsAt(error, "context", "requiredGranularScopes"),
    ...textsAt(error, "context", "requiredScopes"),
  ]);
