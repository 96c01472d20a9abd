import { defineProvider } from "../../contract/provider.ts";
import { googleSheetsCredential } from "./credential.ts";
import { newRow } from "./poll-new-row.ts";

export const provider = defineProvider({
  id: "google_sheets",
  title: "Google Sheets",
  description: "Read and write spreadsheet ranges.",
  synonyms: ["spreadsheet", "excel", "table", "rows", "cells"],
  credential: googleSheetsCredential,
  polls: [newRow],
});
