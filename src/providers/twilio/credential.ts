import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";

export const twilioCredential = defineCredential({
  type: "twilio",
  title: "Twilio",
  baseUrl: "https://api.twilio.com",
  variants: {
    basic: withFields(
      "Account SID and auth token",
      {
        accountSid: z
          .string()
          .regex(/^AC[0-9a-fA-F]{32}$/)
          .meta({ title: "Account SID" })
          .describe("AC…"),
        authToken: secret(),
      },
      ({ accountSid, authToken }) => ({
        headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` },
      }),
    ),
  },
  check: async ({ http, credential }) => void (await http.json({ path: path`/2010-04-01/Accounts/${String(credential.accountSid)}.json` })),
});
