import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { withRedis } from "./client.ts";
import { redisCredential } from "./credential.ts";

export const action = defineAction({
  id: "redis_set",
  title: "Set key",
  description: "Store a string value, optionally with expiry.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  credential: redisCredential,
  input: z.strictObject({
    key: z.string().min(1).describe("Name of the key, e.g. user:42."),
    value: z.string().describe("Text to store."),
    ttlSeconds: z.int().min(1).optional().meta({ title: "Expires after (seconds)" }).describe("Expiry."),
    onlyIfAbsent: z.boolean().default(false).describe("Keep a value that is already there."),
  }),
  output: z.object({
    key: z.string().describe("Name of the key."),
    stored: z.boolean().describe("False when there was a value and it was kept."),
  }),
  // The same again would say that somebody else was first.
  isRepeatable: ({ onlyIfAbsent }) => !onlyIfAbsent,
  run: async ({ input: { key, value, ttlSeconds, onlyIfAbsent }, ...call }) =>
    await withRedis(call, async (send) => {
      const expiry = ttlSeconds === undefined ? [] : ["EX", String(ttlSeconds)];
      const answer = await send("SET", key, value, ...expiry, ...(onlyIfAbsent ? ["NX"] : []));
      return [{ key, stored: answer !== null }];
    }),
});
