import { defineProvider } from "../../contract/provider.ts";
import { mysqlCredential } from "./credential.ts";
import { newRow } from "./poll-rows.ts";

export const provider = defineProvider({
  id: "mysql",
  title: "MySQL",
  description: "Query and change data in a MySQL database.",
  credential: mysqlCredential,
  polls: [newRow],
});
