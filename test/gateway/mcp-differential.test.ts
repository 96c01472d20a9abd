import { Server } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import {
  createMcpClient,
  type McpClient,
  modernHeaders,
  modernMeta,
  type RpcAnswer,
} from "../support/gateway/mcp-client.ts";
import { startSdkServer } from "../support/gateway/sdk-server.ts";

// The same requests to a server made with the official SDK and to ours: the same answers, apart from the differences that are named.

let mcp: McpApp;
let sdk: Awaited<ReturnType<typeof startSdkServer>>;
let theirs: McpClient;

beforeAll(async () => {
  mcp = await startMcpApp();
  const { json } = await mcp.client.legacy("system", "tools/list");
  const tools = json.result?.tools ?? [];
  const { result } = (await mcp.client.legacy("system", "initialize", { protocolVersion: "2025-11-25" }))
    .json as unknown as {
    result: { serverInfo: { name: string; version: string }; instructions: string };
  };
  sdk = await startSdkServer(() => {
    const capabilities = { tools: { listChanged: false } };
    const cacheHint = { ttlMs: 300_000, cacheScope: "public" as const };
    const cacheHints = { "tools/list": cacheHint, "server/discover": cacheHint };
    const server = new Server(result.serverInfo, { capabilities, instructions: result.instructions, cacheHints });
    server.setRequestHandler("tools/list", () => ({ tools: tools as never }));
    server.setRequestHandler("tools/call", ({ params }) => {
      if (params.name !== "system_wait") throw Object.assign(new Error("unknown tool"), { code: -32602 });
      const items = [{ waitedSeconds: 0 }];
      return {
        content: items.map((item) => ({ type: "text" as const, text: JSON.stringify(item) })),
        structuredContent: { items },
      };
    });
    return server;
  });
  theirs = createMcpClient(sdk.url, {});
});
afterAll(async () => {
  await sdk.stop();
  await mcp.stop();
});

type Headers = Record<string, string | undefined>;
type Case = { name: string; body: unknown; headers?: Headers; otherId?: string };

const rpc = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params ? { params } : {}),
});
const legacy = (method: string, params?: object, headers: Headers = {}) => ({
  body: rpc(method, params),
  headers: { "mcp-protocol-version": "2025-11-25", ...headers },
});
const modern = (method: string, params: Record<string, unknown> = {}, headers: Headers = {}) => ({
  body: rpc(method, { ...params, _meta: modernMeta }),
  headers: { ...modernHeaders(method, params.name), ...headers },
});
const client = { capabilities: {}, clientInfo: { name: "test", version: "1" } };
const wait = { name: "system_wait", arguments: { seconds: 0 } };
const claim = (revision: unknown) => ({
  _meta: { ...modernMeta, "io.modelcontextprotocol/protocolVersion": revision },
});
const progress = { name: "system_wait", arguments: { seconds: 0 }, _meta: { progressToken: 1 } };

const cases: Case[] = [
  ...["2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01"].map((protocolVersion) => ({
    name: `initialize with ${protocolVersion}`,
    body: rpc("initialize", { protocolVersion, ...client }),
  })),
  { name: "legacy ping", ...legacy("ping") },
  { name: "legacy ping without a version", body: rpc("ping") },
  { name: "legacy tools/list", ...legacy("tools/list") },
  { name: "legacy tools/call", ...legacy("tools/call", wait) },
  { name: "legacy tools/call with a progress token", ...legacy("tools/call", progress) },
  { name: "legacy unknown tool", ...legacy("tools/call", { name: "nothing", arguments: {} }) },
  { name: "legacy call without a name", ...legacy("tools/call", {}) },
  { name: "legacy unknown method", ...legacy("nothing") },
  { name: "legacy server/discover", ...legacy("server/discover") },
  { name: "legacy notification", body: { jsonrpc: "2.0", method: "notifications/initialized" } },
  { name: "legacy response", body: { jsonrpc: "2.0", id: 1, result: {} } },
  {
    name: "legacy unsupported version",
    ...legacy("tools/list", {}, { "mcp-protocol-version": "2024-01-01" }),
    otherId: "The SDK refuses before it reads the body; ours says which request it was.",
  },
  { name: "batch", body: [rpc("ping", undefined, 1), rpc("tools/list", undefined, 2)] },
  { name: "empty batch", body: [] },
  { name: "batch with a modern message", body: [modern("tools/list").body] },
  { name: "server/discover", ...modern("server/discover") },
  { name: "modern tools/list", ...modern("tools/list") },
  { name: "modern tools/call", ...modern("tools/call", wait) },
  { name: "modern unknown tool", ...modern("tools/call", { name: "nothing", arguments: {} }) },
  { name: "modern call without a name", ...modern("tools/call", {}) },
  { name: "modern unknown method", ...modern("nothing") },
  { name: "modern ping", ...modern("ping") },
  { name: "modern initialize", ...modern("initialize", { protocolVersion: "2025-11-25", ...client }) },
  { name: "subscriptions/listen", ...modern("subscriptions/listen", { notifications: { toolsListChanged: true } }) },
  { name: "subscriptions/listen without a filter", ...modern("subscriptions/listen") },
  {
    name: "modern notification",
    body: { jsonrpc: "2.0", method: "notifications/x" },
    headers: { "mcp-protocol-version": "2026-07-28" },
  },
  { name: "modern header without _meta", body: rpc("tools/list"), headers: modernHeaders("tools/list") },
  {
    name: "no capabilities",
    body: rpc("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    headers: modernHeaders("tools/list"),
  },
  { name: "a revision that is no text", body: rpc("tools/list", claim(7)), headers: modernHeaders("tools/list") },
  { name: "another version in the header", ...modern("tools/list", {}, { "mcp-protocol-version": "2025-11-25" }) },
  { name: "no version in the header", ...modern("tools/list", {}, { "mcp-protocol-version": undefined }) },
  { name: "another method in the header", ...modern("tools/list", {}, { "mcp-method": "tools/call" }) },
  { name: "no method in the header", ...modern("tools/list", {}, { "mcp-method": undefined }) },
  { name: "another name in the header", ...modern("tools/call", wait, { "mcp-name": "x" }) },
  { name: "no name in the header", ...modern("tools/call", wait, { "mcp-name": undefined }) },
  { name: "a name in Base64", ...modern("tools/call", wait, { "mcp-name": `=?base64?${btoa("system_wait")}?=` }) },
  { name: "a name in bad Base64", ...modern("tools/call", wait, { "mcp-name": "=?base64?a?=" }) },
  {
    name: "unsupported modern revision",
    body: rpc("tools/list", claim("2030-01-01")),
    headers: { ...modernHeaders("tools/list"), "mcp-protocol-version": "2030-01-01" },
  },
  {
    name: "a legacy revision in _meta",
    body: rpc("tools/list", claim("2025-11-25")),
    headers: { ...modernHeaders("tools/list"), "mcp-protocol-version": "2025-11-25" },
  },
  { name: "an id that is null", body: rpc("ping", undefined, null) },
  {
    name: "an id that is a fraction",
    body: rpc("ping", undefined, 1.5),
    otherId: "The SDK repeats an id that it refuses.",
  },
  { name: "no method", body: { jsonrpc: "2.0", id: 1 }, otherId: "Ours says which request it was." },
  { name: "parameters in a list", body: { jsonrpc: "2.0", id: 1, method: "ping", params: [] } },
  { name: "another JSON-RPC version", body: { jsonrpc: "1.0", id: 1, method: "ping" } },
  { name: "broken JSON", body: "{" },
  { name: "another content type", body: "{}", headers: { "content-type": "text/plain" } },
];

/** What a client can tell apart: status, ids, codes and results. Words differ, and the SDK streams every legacy answer. */
function essence({ status, text, json }: RpcAnswer, isIdLeftOut: boolean): unknown {
  const events = (text.match(/^data: .*$/gm) ?? []).map(
    (line) => JSON.parse(line.slice("data: ".length)) as RpcAnswer["json"],
  );
  const messages = events.length > 0 ? events : ([json].flat() as RpcAnswer["json"][]);
  const answers = messages.filter((message) => !("method" in message));
  const told = answers.map(({ id = null, result, error }) => ({
    id: isIdLeftOut ? "any" : id,
    code: error?.code,
    result,
  }));
  return { status, told: told.sort((one, other) => Number(one.id) - Number(other.id)) };
}

it.each(cases)("answers as the SDK does: $name", async ({ body, headers, otherId }) => {
  const [their, our] = await Promise.all([theirs.post("any", body, headers), mcp.client.post("system", body, headers)]);
  expect(essence(our, otherId !== undefined), otherId).toEqual(essence(their, otherId !== undefined));
});

it.each(cases.filter(({ otherId }) => otherId !== undefined))(
  "differs from the SDK in the id: $name",
  async ({ body, headers }) => {
    const [their, our] = await Promise.all([
      theirs.post("any", body, headers),
      mcp.client.post("system", body, headers),
    ]);
    expect(our.json.id).not.toEqual(their.json.id);
  },
);
