import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { apiVersions } from "./api-version.ts";

const webhookSecret = secret("Verifies incoming events.").optional();

export const githubCredential = defineCredential({
  type: "github",
  title: "GitHub",
  baseUrl: "https://api.github.com",
  // Files of releases are uploaded there.
  origins: ["https://uploads.github.com"],
  headers: { Accept: "application/vnd.github+json", "X-GitHub-Api-Version": apiVersions.rest.version, "User-Agent": "switchyard" },
  variants: {
    bearer: withFields("Access token", { accessToken: secret("Fine-grained or classic token."), webhookSecret }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
    oauth2: withOAuth2({
      authorizeUrl: "https://github.com/login/oauth/authorize",
      tokenUrl: "https://github.com/login/oauth/access_token",
      tokenHeaders: { Accept: "application/json" },
      scopes: ["repo", "read:user"],
      pkce: true,
      fields: { webhookSecret },
    }),
  },
  check: async ({ http }) => void (await http.json({ path: "/user" })),
});
