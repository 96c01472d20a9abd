import { defineCredential } from "../../contract/credential.ts";
import { checkGoogleToken } from "../_google/check-token.ts";
import { listDriveFiles } from "../_google/list-files.ts";
import { googleOrigins, googleVariants } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";

export const googleDocsCredential = defineCredential({
  type: "google_docs",
  title: "Google Docs",
  baseUrl: "https://docs.googleapis.com",
  origins: googleOrigins,
  variants: googleVariants(["https://www.googleapis.com/auth/documents"]),
  usualKind: "oauth2",
  readFault: readGoogleFault,
  check: checkGoogleToken,
  choices: { documents: { searches: true, load: listDriveFiles("document") } },
});
