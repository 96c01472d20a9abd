import { defineCredential } from "../../contract/credential.ts";
import { checkGoogleToken } from "../_google/check-token.ts";
import { googleOrigins, withGoogleOAuth2 } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";

export const googleSheetsCredential = defineCredential({
  type: "google_sheets",
  title: "Google Sheets",
  baseUrl: "https://sheets.googleapis.com",
  origins: googleOrigins,
  variants: { oauth2: withGoogleOAuth2(["https://www.googleapis.com/auth/spreadsheets"]) },
  readFault: readGoogleFault,
  check: checkGoogleToken,
});
