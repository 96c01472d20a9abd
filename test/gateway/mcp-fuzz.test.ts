import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { modernHeaders, modernMeta } from "../support/gateway/mcp-client.ts";

let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "1000000" } });
});
afterAll(() => mcp.stop());

const methods = [
  "initialize",
  "ping",
  "tools/list",
  "tools/call",
  "server/discover",
  "subscriptions/listen",
  "notifications/cancelled",
  "nothing",
];
const toolNames = ["system_date_time", "system_transform_json", "nothing", "__proto__", "constructor"];
const json = fc.jsonValue({ maxDepth: 4 });
const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom("name", "arguments", "_meta", "timeZone", "date", "add", "credentials"),
);
const text = fc.string({ unit: "binary", maxLength: 20 });
const params = fc.oneof(
  json,
  fc.dictionary(key, fc.oneof(json, text), { maxKeys: 4 }),
  fc.record({
    name: fc.oneof(fc.constantFrom(...toolNames), json),
    arguments: fc.oneof(json, fc.dictionary(key, fc.oneof(json, text), { maxKeys: 4 })),
    _meta: fc.oneof(
      fc.constant(modernMeta),
      fc.dictionary(fc.constantFrom(...Object.keys(modernMeta), "progressToken", "traceparent"), json),
    ),
  }),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant("2.0") }, { weight: 1, arbitrary: json }),
    id: fc.oneof(fc.integer(), fc.string(), json),
    method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...methods) }, { weight: 1, arbitrary: json }),
    params,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(fc.oneof(message, json), { maxLength: 5 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
);
const version = fc.constantFrom(undefined, "2025-03-26", "2025-11-25", "2026-07-28", "2027-01-01", "x");
const headers = fc.oneof(
  version.map((value) => ({ "mcp-protocol-version": value })),
  fc.constantFrom(...methods).map((method) => modernHeaders(method, "system_date_time")),
);

it("answers anything in JSON-RPC, never with a failure of its own", async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(body, headers, async (sent, given) => {
      const answer = await mcp.client.post("system", sent, given);
      seen.add(answer.status);
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text).not.toContain("failed unexpectedly");
      expect(answer.headers.get("content-type") ?? "none").toMatch(
        /^(application\/json; charset=utf-8|text\/event-stream.*|none)$/,
      );
      expect(answer.text === "").toBe(answer.status === 202);
      for (const one of answer.text === "" ? [] : [answer.json].flat()) {
        expect(one).toMatchObject({ jsonrpc: "2.0" });
        expect(one.result === undefined).toBe(one.error !== undefined);
      }
    }),
    { numRuns: 1500 },
  );
  expect([...seen].filter((status) => ![200, 202, 400, 404].includes(status))).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
  expect((await mcp.client.legacy("system", "ping")).status).toBe(200);
});
