import { z } from "zod";
import { databaseIn, readConnectionString } from "../../contract/connection-string.ts";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { certificateAuthority } from "../../contract/server-connection.ts";
import { type Login, withPostgres } from "./client.ts";
import { listPostgresColumns, listPostgresTables } from "./list-tables.ts";

export const postgresCredential = defineCredential({
  type: "postgres",
  title: "PostgreSQL",
  baseUrl: null,
  variants: {
    custom: {
      ...withFields("Login", {
        host: z
          .string()
          .min(1)
          .regex(/^[^@]*$/)
          .describe(
            "Name of the server, or a connection string, such as postgres://ann:password@db.example.com:5432/shop, which fills the other fields.",
          ),
        port: z.int().min(1).max(65_535).optional().describe("5432 when left out."),
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
        readConnectionString(given, { schemes: ["postgres", "postgresql"], readRest, userField: "user" }),
    },
  },
  check: async (call) => {
    await withPostgres(
      { ...call, credential: call.credential as Login },
      async ({ execute }) => await execute("SELECT 1", []),
    );
  },
  choices: {
    tables: { load: listPostgresTables },
    columns: { needs: ["table"], load: listPostgresColumns },
  },
});

const modes: Record<string, string> = {
  disable: "disable",
  allow: "require",
  prefer: "require",
  require: "require",
  "verify-ca": "verify",
  "verify-full": "verify",
};

// As PostgreSQL's own programs read it.
const readRest = (url: URL) => ({ database: databaseIn(url), ssl: modes[url.searchParams.get("sslmode") ?? ""] });
