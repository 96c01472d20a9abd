import { z } from "zod";
import { defineCredential, withOAuth2 } from "../../contract/credential.ts";

export const microsoftOutlookCredential = defineCredential({
  type: "microsoft_outlook",
  title: "Microsoft Outlook",
  baseUrl: "https://graph.microsoft.com/v1.0",
  variants: {
    oauth2: withOAuth2({
      authorizeUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
      tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
      scopes: ["offline_access", "User.Read", "Mail.Read", "Mail.Send"],
      pkce: true,
      fields: { tenant: z.string().min(1).default("common").describe("Id or domain of the directory; common for any account.") },
    }),
  },
  check: async ({ http }) => void (await http.json({ path: "/me" })),
});
