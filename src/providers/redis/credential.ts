import { z } from "zod";
import { databaseIn, readConnectionString } from "../../contract/connection-string.ts";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { certificateAuthority } from "../../contract/server-connection.ts";
import { type Login, withRedis } from "./client.ts";

export const redisCredential = defineCredential({
  type: "redis",
  title: "Redis",
  baseUrl: null,
  variants: {
    custom: {
      ...withFields("Login", {
        host: z
          .string()
          .min(1)
          .regex(/^[^@]*$/)
          .describe(
            "Name of the server, or a connection string, such as rediss://default:password@cache.example.com:6380, which fills the other fields; rediss means TLS.",
          ),
        port: z.int().min(1).max(65_535).default(6379),
        username: z.string().min(1).optional(),
        password: secret().optional(),
        database: z.int().min(0).default(0).describe("Number of the database."),
        tls: z.boolean().default(false).meta({ title: "TLS" }),
        ca: certificateAuthority(),
      }),
      readPasted: (given) =>
        readConnectionString(given, { schemes: ["redis", "rediss"], readRest, userField: "username" }),
    },
  },
  check: async (call) => {
    await withRedis({ ...call, credential: call.credential as Login }, async (send) => await send("PING"));
  },
});

const readRest = (url: URL) => ({
  database: /^\d+$/.test(databaseIn(url)) ? Number(databaseIn(url)) : undefined,
  tls: /^rediss/i.test(url.protocol) ? true : undefined,
});
