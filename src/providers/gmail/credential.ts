import { defineCredential } from "../../contract/credential.ts";
import { googleOrigins, googleVariants } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";
import { listLabels } from "./list-labels.ts";

export const gmailCredential = defineCredential({
  type: "gmail",
  title: "Gmail",
  baseUrl: "https://gmail.googleapis.com",
  origins: googleOrigins,
  variants: googleVariants([
    "https://www.googleapis.com/auth/gmail.modify",
    "https://www.googleapis.com/auth/gmail.send",
  ]),
  usualKind: "oauth2",
  readFault: readGoogleFault,
  check: async ({ http }) => void (await http.json({ path: "/gmail/v1/users/me/profile" })),
  choices: { labels: { load: ({ http }) => listLabels(http) } },
});
