import { defineProvider } from "../../contract/provider.ts";
import { mysqlCredential } from "./credential.ts";
import { newRow } from "./poll-rows.ts";

export const provider = defineProvider({
  id: "mysql",
  title: "MySQL",
  description: "Query and change data in a MySQL database.",
  synonyms: ["database", "sql", "mariadb", "table", "rows"],
  credential: mysqlCredential,
  polls: [newRow],
});
