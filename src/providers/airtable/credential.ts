import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { knownScopes } from "./known-scopes.ts";
import { listBases, listFields, listTables, listViews } from "./list-tables.ts";

// Airtable says nowhere in its answer how long a base stays closed after too many requests.
const closedForMs = 30_000;

export const airtableCredential = defineCredential({
  type: "airtable",
  title: "Airtable",
  baseUrl: "https://api.airtable.com",
  // Attachments are uploaded there.
  origins: ["https://content.airtable.com"],
  variants: {
    bearer: withFields("Access token", { accessToken: secret("Personal access token.") }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
    oauth2: withOAuth2({
      authorizeUrl: "https://airtable.com/oauth2/v1/authorize",
      tokenUrl: "https://airtable.com/oauth2/v1/token",
      scopes: ["data.records:read", "data.records:write", "schema.bases:read"],
      knownScopes,
      clientAuth: "basic",
      pkce: true,
    }),
  },
  readFault: (body, response) => ({
    ...readCommonFault(body, response),
    retryAfterMs: response.status === 429 ? closedForMs : undefined,
  }),
  check: async ({ http }) => void (await http.json({ path: "/v0/meta/whoami" })),
  choices: {
    bases: { load: listBases },
    tables: { needs: ["baseId"], load: listTables },
    views: { needs: ["baseId", "table"], load: listViews },
    fields: { needs: ["baseId", "table"], load: listFields },
  },
});
