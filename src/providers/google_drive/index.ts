import { defineProvider } from "../../contract/provider.ts";
import { googleDriveCredential } from "./credential.ts";

export const provider = defineProvider({
  id: "google_drive",
  title: "Google Drive",
  description: "Search, upload and download Drive files.",
  synonyms: ["files", "folder", "storage", "upload", "download"],
  credential: googleDriveCredential,
});
