import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { type Send, withRedis } from "./client.ts";
import { redisCredential } from "./credential.ts";

const mostElements = 10_000;
const mostBytes = 10 * 1024 * 1024;

export const action = defineAction({
  id: "redis_get",
  title: "Get key",
  description: "Read the value of a key of any type.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: redisCredential,
  input: z.strictObject({ key: z.string().min(1).describe("Name of the key, e.g. user:42.") }),
  output: z.object({
    key: z.string().describe("Name of the key."),
    exists: z.boolean().describe("Whether there is such a key."),
    type: z.string().optional().describe("string, hash, list, set, zset or stream."),
    value: z
      .unknown()
      .optional()
      .describe("Text, an object for a hash, a list otherwise. Bytes that are not text are {base64}."),
    ttlSeconds: z.int().optional().describe("-1 when none."),
  }),
  run: async ({ input: { key }, ...call }) =>
    await withRedis(call, async (send) => {
      const type = String(await send("TYPE", key));
      if (type === "none") return [{ key, exists: false }];
      const kind = kinds[type];
      if (!kind)
        throw new Refusal("provider_error", `The key holds a value of the type ${type}, which cannot be read.`);
      await refuseLarge(send, key, kind.size);
      const answer = await send(...kind.read(key));
      // Gone since its type was asked for.
      if (answer === null) return [{ key, exists: false }];
      return [{ key, exists: true, type, value: kind.toValue(answer), ttlSeconds: Number(await send("TTL", key)) }];
    }),
});

type Kind = { size: string; read: (key: string) => string[]; toValue: (answer: unknown) => unknown };

const kinds: Record<string, Kind | undefined> = {
  string: { size: "STRLEN", read: (key) => ["GET", key], toValue: toText },
  hash: {
    size: "HLEN",
    read: (key) => ["HGETALL", key],
    toValue: (answer) => Object.fromEntries(toPairs(answer).map(([name, value]) => [toName(name), toText(value)])),
  },
  list: {
    size: "LLEN",
    read: (key) => ["LRANGE", key, "0", String(mostElements)],
    toValue: (answer) => toList(answer).map(toText),
  },
  set: { size: "SCARD", read: (key) => ["SMEMBERS", key], toValue: (answer) => toList(answer).map(toText) },
  zset: {
    size: "ZCARD",
    read: (key) => ["ZRANGE", key, "0", String(mostElements), "WITHSCORES"],
    toValue: (answer) => toPairs(answer).map(([member, score]) => ({ member: toText(member), score: toScore(score) })),
  },
  stream: {
    size: "XLEN",
    read: (key) => ["XRANGE", key, "-", "+", "COUNT", String(mostElements)],
    toValue: (answer) =>
      toList(answer).map((entry) => {
        const [id, fields] = toList(entry);
        return {
          id: toName(id),
          fields: Object.fromEntries(toPairs(fields).map(([name, value]) => [toName(name), toText(value)])),
        };
      }),
  },
};

/** Asked before anything is read: half of a value would be taken for all of it. */
async function refuseLarge(send: Send, key: string, sizeCommand: string): Promise<void> {
  const size = Number(await send(sizeCommand, key));
  // Some servers do not know or not allow this command; then only the number of elements counts.
  const bytes =
    sizeCommand === "STRLEN" ? size : Number((await send("MEMORY", "USAGE", key, "SAMPLES", "0").catch(() => 0)) ?? 0);
  if (bytes > mostBytes) throw new Refusal("provider_error", "The value is larger than 10 MB.");
  if (sizeCommand !== "STRLEN" && size > mostElements)
    throw new Refusal("provider_error", `The value has ${size} elements; at most ${mostElements} can be read.`);
}

const toList = (answer: unknown): unknown[] => (Array.isArray(answer) ? answer : []);

const toPairs = (answer: unknown): [unknown, unknown][] => {
  const list = toList(answer);
  return list.flatMap((entry, index): [unknown, unknown][] => (index % 2 === 0 ? [[entry, list[index + 1]]] : []));
};

function toText(value: unknown): unknown {
  if (!Buffer.isBuffer(value)) return value;
  return isUtf8(value) ? value.toString("utf8") : { base64: value.toString("base64") };
}

const toName = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString(isUtf8(value) ? "utf8" : "base64") : String(value);

const toScore = (value: unknown): number | string => {
  const text = String(value);
  return Number.isFinite(Number(text)) ? Number(text) : text;
};
