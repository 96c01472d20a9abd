import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { textAt } from "../../contract/read.ts";
import { apiVersions, contactsPath } from "./api-version.ts";

// HubSpot names the used-up limit and not the time to wait.
const windowMs: Record<string, number> = { SECONDLY: 1000, TEN_SECONDLY_ROLLING: 10_000 };

export const hubspotCredential = defineCredential({
  type: "hubspot",
  title: "HubSpot",
  baseUrl: "https://api.hubapi.com",
  variants: {
    bearer: withFields("Access token", { accessToken: secret("Private app token.") }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
    oauth2: withOAuth2({
      authorizeUrl: "https://app.hubspot.com/oauth/authorize",
      tokenUrl: `https://api.hubapi.com/oauth/${apiVersions.oauth.version}/token`,
      scopes: ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"],
    }),
  },
  readFault: (body) => ({
    code: textAt(body, "category") ?? textAt(body, "errorType"),
    message: textAt(body, "message"),
    retryAfterMs: windowMs[textAt(body, "policyName") ?? ""],
  }),
  check: async ({ http }) => void (await http.json({ path: contactsPath, query: { limit: 1 } })),
});
