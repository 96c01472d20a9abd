import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { readSlackFault, readSlackRefusal } from "./client.ts";
import { knownScopes } from "./known-scopes.ts";
import { listChannels, listPlaces } from "./list-places.ts";

const signingSecret = secret("Verifies incoming events.").optional();

export const slackCredential = defineCredential({
  type: "slack",
  title: "Slack",
  baseUrl: "https://slack.com/api",
  // Files are got there with the same token.
  origins: ["https://files.slack.com"],
  variants: {
    oauth2: withOAuth2({
      authorizeUrl: "https://slack.com/oauth/v2/authorize",
      tokenUrl: "https://slack.com/api/oauth.v2.access",
      scopes: [
        ...["chat:write", "chat:write.public", "im:write", "users:read"],
        ...["channels:read", "groups:read", "im:read", "mpim:read"],
        ...["channels:history", "groups:history", "im:history", "mpim:history"],
      ],
      scopeSeparator: ",",
      knownScopes,
      fields: { signingSecret },
    }),
    bearer: withFields("Bot token", { accessToken: secret("Bot token xoxb-."), signingSecret }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
  },
  readFault: readSlackFault,
  readRefusal: readSlackRefusal,
  check: async ({ http }) => void (await http.json({ method: "POST", path: "/auth.test", repeatable: true })),
  choices: { channels: { load: listChannels }, places: { load: listPlaces } },
});
