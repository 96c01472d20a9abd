import { z } from "zod";
import { defineCredential, withOAuth2 } from "../../contract/credential.ts";
import { readCommonFault } from "../../contract/fault.ts";
import { knownScopes } from "./known-scopes.ts";
import { listFolders } from "./list-folders.ts";

const deniedCodes = new Set(["ErrorAccessDenied", "Authorization_RequestDenied"]);

export const microsoftOutlookCredential = defineCredential({
  type: "microsoft_outlook",
  title: "Microsoft Outlook",
  baseUrl: "https://graph.microsoft.com/v1.0",
  variants: {
    oauth2: withOAuth2({
      authorizeUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
      tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
      scopes: ["offline_access", "User.Read", "Mail.Read", "Mail.Send"],
      knownScopes,
      pkce: true,
      fields: {
        tenant: z.string().min(1).default("common").describe("Id or domain of the directory; common for any account."),
      },
    }),
  },
  // Graph does not name what is missing.
  readFault: (body, response) => {
    const fault = readCommonFault(body, response);
    return deniedCodes.has(fault.code ?? "") ? { ...fault, missingScopes: [] } : fault;
  },
  check: async ({ http }) => void (await http.json({ path: "/me" })),
  choices: { folders: { load: ({ http }) => listFolders(http) } },
});
