import { defineCredential } from "../../contract/credential.ts";
import { checkGoogleToken } from "../_google/check-token.ts";
import { listDriveFiles } from "../_google/list-files.ts";
import { googleOrigins, googleVariants } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";
import { listRanges, listSheets } from "./list-sheets.ts";

export const googleSheetsCredential = defineCredential({
  type: "google_sheets",
  title: "Google Sheets",
  baseUrl: "https://sheets.googleapis.com",
  origins: googleOrigins,
  variants: googleVariants(["https://www.googleapis.com/auth/spreadsheets"]),
  usualKind: "oauth2",
  readFault: readGoogleFault,
  check: checkGoogleToken,
  choices: {
    spreadsheets: { searches: true, load: listDriveFiles("spreadsheet") },
    sheets: { needs: ["spreadsheetId"], load: listSheets },
    ranges: { needs: ["spreadsheetId"], load: listRanges },
  },
});
