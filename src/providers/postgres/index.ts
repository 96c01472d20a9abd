import { defineProvider } from "../../contract/provider.ts";
import { postgresCredential } from "./credential.ts";
import { newRow } from "./poll-rows.ts";

export const provider = defineProvider({
  id: "postgres",
  title: "PostgreSQL",
  description: "Query and change data in a PostgreSQL database.",
  synonyms: ["postgresql", "database", "sql", "table", "rows"],
  credential: postgresCredential,
  polls: [newRow],
});
