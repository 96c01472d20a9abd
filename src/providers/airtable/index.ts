import { defineProvider } from "../../contract/provider.ts";
import { airtableCredential } from "./credential.ts";
import { newRecord } from "./poll-records.ts";

export const provider = defineProvider({
  id: "airtable",
  title: "Airtable",
  description: "Read and add records in Airtable bases.",
  synonyms: ["table", "database", "base", "records"],
  credential: airtableCredential,
  polls: [newRecord],
});
