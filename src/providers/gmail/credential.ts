import { defineCredential } from "../../contract/credential.ts";
import { googleOrigins, withGoogleOAuth2 } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";

export const gmailCredential = defineCredential({
  type: "gmail",
  title: "Gmail",
  baseUrl: "https://gmail.googleapis.com",
  origins: googleOrigins,
  variants: {
    oauth2: withGoogleOAuth2(["https://www.googleapis.com/auth/gmail.modify", "https://www.googleapis.com/auth/gmail.send"]),
  },
  readFault: readGoogleFault,
  check: async ({ http }) => void (await http.json({ path: "/gmail/v1/users/me/profile" })),
});
