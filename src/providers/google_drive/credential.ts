import { defineCredential } from "../../contract/credential.ts";
import { listDriveFiles } from "../_google/list-files.ts";
import { googleOrigins, googleVariants } from "../_google/oauth2.ts";
import { readGoogleFault } from "../_google/read-fault.ts";
import { listDrives } from "./list-drives.ts";

export const googleDriveCredential = defineCredential({
  type: "google_drive",
  title: "Google Drive",
  baseUrl: "https://www.googleapis.com",
  origins: googleOrigins,
  variants: googleVariants(["https://www.googleapis.com/auth/drive"]),
  usualKind: "oauth2",
  readFault: readGoogleFault,
  check: async ({ http }) => void (await http.json({ path: "/drive/v3/about", query: { fields: "user" } })),
  choices: {
    files: { searches: true, load: listDriveFiles() },
    folders: { searches: true, load: listDriveFiles("folder") },
    drives: { load: listDrives },
  },
});
