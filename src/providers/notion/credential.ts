import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { apiVersions } from "./api-version.ts";
import { listShared } from "./list-pages.ts";

export const notionCredential = defineCredential({
  type: "notion",
  title: "Notion",
  baseUrl: "https://api.notion.com",
  headers: { "Notion-Version": apiVersions.rest.version },
  variants: {
    bearer: withFields("Integration secret", { accessToken: secret("Integration secret.") }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
    oauth2: withOAuth2({
      authorizeUrl: "https://api.notion.com/v1/oauth/authorize",
      tokenUrl: "https://api.notion.com/v1/oauth/token",
      authorizeParams: { owner: "user" },
      scopes: [],
      clientAuth: "basic",
      tokenBody: "json",
    }),
  },
  check: async ({ http }) => void (await http.json({ path: "/v1/users/me" })),
  choices: {
    pages: { searches: true, load: listShared("page") },
    dataSources: { searches: true, load: listShared("data_source") },
  },
});
