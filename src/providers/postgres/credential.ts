import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { certificateAuthority } from "../../contract/server-connection.ts";
import { type Login, withPostgres } from "./client.ts";

export const postgresCredential = defineCredential({
  type: "postgres",
  title: "PostgreSQL",
  baseUrl: null,
  variants: {
    custom: withFields("Login", {
      host: z.string().min(1),
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
  },
  check: async (call) => {
    await withPostgres({ ...call, credential: call.credential as Login }, async ({ execute }) => await execute("SELECT 1", []));
  },
});
