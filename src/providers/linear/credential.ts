import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { queryLinear, readLinearFault, readLinearRefusal } from "./client.ts";
import { knownScopes } from "./known-scopes.ts";
import { listLabels, listPeople, listTeams } from "./list-choices.ts";

export const linearCredential = defineCredential({
  type: "linear",
  title: "Linear",
  baseUrl: "https://api.linear.app",
  // Files are got there with the same token.
  origins: ["https://uploads.linear.app"],
  variants: {
    apiKey: withFields("API key", { apiKey: secret() }, ({ apiKey }) => ({ headers: { authorization: apiKey } })),
    oauth2: withOAuth2({
      authorizeUrl: "https://linear.app/oauth/authorize",
      tokenUrl: "https://api.linear.app/oauth/token",
      scopes: ["read", "issues:create"],
      scopeSeparator: ",",
      knownScopes,
      pkce: true,
    }),
  },
  readFault: readLinearFault,
  readRefusal: readLinearRefusal,
  check: async ({ http }) => void (await queryLinear(http, { query: "{ viewer { id } }" }, { repeatable: true })),
  choices: { teams: { load: listTeams }, people: { load: listPeople }, labels: { load: listLabels } },
});
