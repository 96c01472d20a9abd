import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { listMessagingServices, listNumbers } from "./list-senders.ts";

export const twilioCredential = defineCredential({
  type: "twilio",
  title: "Twilio",
  baseUrl: "https://api.twilio.com",
  // Each newer product has a host of its own.
  origins: ["content", "conversations", "lookups", "messaging", "numbers", "studio", "verify"].map(
    (name) => `https://${name}.twilio.com`,
  ),
  variants: {
    basic: withFields(
      "Account SID and auth token",
      {
        accountSid: z
          .string()
          .regex(/^AC[0-9a-fA-F]{32}$/)
          .meta({ title: "Account SID" })
          .describe("AC…"),
        authToken: secret("Auth token of the account, or the secret of the API key."),
        apiKeySid: z
          .string()
          .regex(/^SK[0-9a-fA-F]{32}$/)
          .optional()
          .meta({ title: "API key SID" })
          .describe("SK…, to sign in with an API key instead of the account itself."),
      },
      ({ accountSid, authToken, apiKeySid = accountSid }) => ({
        headers: { authorization: `Basic ${Buffer.from(`${apiKeySid}:${authToken}`).toString("base64")}` },
      }),
    ),
  },
  // Most API keys may not read the account itself.
  async check({ http, credential: { accountSid, apiKeySid } }) {
    if (apiKeySid === undefined) await http.json({ path: path`/2010-04-01/Accounts/${String(accountSid)}.json` });
    else
      await http.json({ path: path`/2010-04-01/Accounts/${String(accountSid)}/Messages.json`, query: { PageSize: 1 } });
  },
  choices: { numbers: { load: listNumbers }, messagingServices: { load: listMessagingServices } },
});
