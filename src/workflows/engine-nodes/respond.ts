import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";

/** What a webhook that waits for it answers with. */
export type RunResponse = { status: number; headers: Record<string, string>; body: unknown };

const usualHeaders = new Set([
  "content-type",
  "content-language",
  "content-disposition",
  "cache-control",
  "etag",
  "last-modified",
  "retry-after",
]);

/** Names that proxies and browsers obey. */
const obeyed =
  /^x-(accel|sendfile|lighttpd|litespeed|reproxy|forwarded|original|rewrite|real-ip|frame|content-|xss|dns|permitted|robots|ua-|request-id|http-)/;

const isHarmless = (name: string): boolean =>
  usualHeaders.has(name) || (/^x-[a-z0-9-]{1,60}$/.test(name) && !obeyed.test(name));

/** The answer comes from an address of this server, so it may neither set cookies nor send anybody elsewhere. */
const headers = z.record(z.string(), z.union([z.string(), z.number()])).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    const message = isHarmless(name.toLowerCase())
      ? faultOf(name, String(value))
      : "is not a header that an answer may have";
    if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
  }
});

function faultOf(name: string, value: string): string | undefined {
  // The pages of this server run scripts of its own address.
  if (name.toLowerCase() === "content-type" && /(?:java|ecma|j|live)script/i.test(value))
    return "must not be that of a script";
  return value.length <= 2000 && /^[\t\x20-\x7e]*$/.test(value)
    ? undefined
    : "must be one line of at most 2000 ASCII characters";
}

export const respond = defineEngineNode({
  id: "respond",
  title: "Respond to webhook",
  section: "logic",
  synonyms: ["answer", "reply", "webhook response", "http response"],
  description:
    "Answers whoever delivered to the webhook that started the run, where that waits for an answer. The first one counts.",
  // So that it is stored at once, and the answer can leave while the run goes on.
  reachesOut: true,
  per: "list",
  input: z.strictObject({
    status: z
      .int()
      .min(200)
      .max(599)
      .refine((status) => status < 300 || status > 399, "must not be a redirect")
      .default(200)
      .describe("HTTP status: 200-299 or 400-599."),
    headers: headers
      .default({})
      .describe(
        'Headers such as {"Content-Type": "text/html"}: Content-*, Cache-Control, ETag, Last-Modified, Retry-After, and own ones that begin with X-.',
      ),
    body: z
      .unknown()
      .optional()
      .describe('Text as it is, everything else as JSON, e.g. {"ok": true}; nothing if left out.'),
  }),
  async run({ parameters }) {
    const lowerCase = Object.entries(parameters.headers).map(
      ([name, value]) => [name.toLowerCase(), String(value)] as const,
    );
    const response: RunResponse = {
      status: parameters.status,
      headers: Object.fromEntries(lowerCase),
      body: parameters.body ?? null,
    };
    return { outputs: { out: [response] } };
  },
});
