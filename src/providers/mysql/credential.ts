import { z } from "zod";
import { databaseIn, readConnectionString } from "../../contract/connection-string.ts";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { certificateAuthority } from "../../contract/server-connection.ts";
import { type Login, withMysql } from "./client.ts";
import { listMysqlColumns, listMysqlTables } from "./list-tables.ts";

export const mysqlCredential = defineCredential({
  type: "mysql",
  title: "MySQL",
  baseUrl: null,
  variants: {
    custom: {
      ...withFields("Login", {
        host: z
          .string()
          .min(1)
          .regex(/^[^@]*$/)
          .describe(
            "Name of the server, or a connection string, such as mysql://ann:password@db.example.com:3306/shop, which fills the other fields.",
          ),
        port: z.int().min(1).max(65_535).optional().describe("3306 when left out."),
        database: z.string().min(1),
        user: z.string().min(1),
        password: secret().optional(),
        ssl: z
          .enum(["disable", "require", "verify"])
          .default("verify")
          .meta({ title: "TLS" })
          .describe("`verify` checks the server's certificate, `require` only encrypts."),
        ca: certificateAuthority(),
      }),
      readPasted: (given) =>
        readConnectionString(given, { schemes: ["mysql", "mariadb"], readRest, userField: "user" }),
    },
  },
  check: async (call) => {
    await withMysql(
      { ...call, credential: call.credential as Login },
      async ({ execute }) => await execute("SELECT 1", []),
    );
  },
  choices: {
    tables: { load: listMysqlTables },
    columns: { needs: ["table"], load: listMysqlColumns },
  },
});

const modes: Record<string, string> = {
  disabled: "disable",
  preferred: "require",
  required: "require",
  verify_ca: "verify",
  verify_identity: "verify",
};

// As MySQL's own programs read it.
function readRest(url: URL) {
  const mode = url.searchParams.get("ssl-mode") ?? url.searchParams.get("sslMode");
  return { database: databaseIn(url), ssl: modes[mode?.toLowerCase() ?? ""] };
}
