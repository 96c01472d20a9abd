import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { type Login, withRedis } from "./client.ts";

export const redisCredential = defineCredential({
  type: "redis",
  title: "Redis",
  baseUrl: null,
  variants: {
    custom: withFields("Login", {
      host: z
        .string()
        .min(1)
        .regex(/^[^@]*$/)
        .describe("Name of the server, or its address without a user, such as rediss://cache.example.com:6380, which means TLS."),
      port: z.int().min(1).max(65_535).default(6379),
      username: z.string().min(1).optional(),
      password: secret().optional(),
      database: z.int().min(0).default(0).describe("Number of the database."),
      tls: z.boolean().default(false).meta({ title: "TLS" }),
    }),
  },
  check: async (call) => {
    await withRedis({ ...call, credential: call.credential as Login }, async (send) => await send("PING"));
  },
});
