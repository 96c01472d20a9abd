import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../src/base/refusal.ts";
import type { CatalogAction } from "../../src/catalog/catalog.ts";
import type { McpToolCall, ToolResult } from "../../src/gateway/mcp-call.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient, modernHeaders, modernMeta } from "../support/gateway/mcp-client.ts";

type Call = McpToolCall<CatalogAction>;

let mcp: McpApp;
let calls: { call: Call; settle: (result: ToolResult) => void }[];

beforeAll(async () => {
  mcp = await startMcpApp({
    gateway: {
      keepAliveMs: 50,
      callAction: (call) => {
        const { promise, resolve, reject } = Promise.withResolvers<ToolResult>();
        call.signal.addEventListener("abort", () => reject(call.signal.reason));
        calls.push({ call, settle: resolve });
        return promise;
      },
    },
  });
});
afterAll(() => mcp.stop());
beforeEach(() => {
  calls = [];
});
afterEach(() => {
  for (const { settle } of calls) settle({ recordId: "r", items: [] });
});

const begun = async (count = 1) => {
  while (calls.length < count) await delay(5);
  return calls[count - 1] as (typeof calls)[number];
};
const params = (extra: object = {}) => ({ name: "system_wait", arguments: { seconds: 1 }, ...extra });
const eventsOf = (text: string) =>
  (text.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice(6)) as { params?: unknown; result?: object });

describe.each(["legacy", "modern"] as const)("progress in the %s era", (era) => {
  it("comes in a stream that begins at once, grows, stays alive and ends with the answer", async () => {
    const answered = mcp.client[era]("system", "tools/call", params({ _meta: { progressToken: "token" } }));
    const { call, settle } = await begun();
    call.onProgress?.({ message: "waiting, position 2" });
    call.onProgress?.({ message: "waiting, position 1" });
    call.onProgress?.({ progress: 1, message: "does not grow" });
    call.onProgress?.({ progress: 10, total: 10, message: "running" });
    await delay(130);
    settle({ recordId: "r", items: [{ waitedSeconds: 1 }] });
    const { headers, text } = await answered;
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-accel-buffering")).toBe("no");
    const events = eventsOf(text);
    expect(events.slice(0, -1).map((event) => event.params)).toEqual([
      { progressToken: "token", progress: 0, message: "waiting, position 2" },
      { progressToken: "token", progress: 1, message: "waiting, position 1" },
      { progressToken: "token", progress: 10, total: 10, message: "running" },
    ]);
    expect(events.at(-1)?.result).toMatchObject({ structuredContent: { items: [{ waitedSeconds: 1 }] } });
    expect(text.match(/^: keep-alive$/gm)?.length).toBeGreaterThanOrEqual(2);
  });

  it("is not told to whoever did not ask, or takes no stream", async () => {
    for (const [meta, accept] of [
      [undefined, "application/json, text/event-stream"],
      [{ progressToken: {} }, "application/json, text/event-stream"],
      [{ progressToken: 1 }, "application/json"],
    ] as const) {
      calls = [];
      const answered = mcp.client[era]("system", "tools/call", params(meta ? { _meta: meta } : {}), { accept });
      const { call, settle } = await begun();
      expect(call.onProgress).toBeUndefined();
      settle({ recordId: "r", items: [] });
      expect((await answered).headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
  });

  it("also ends with a refusal", async () => {
    const answered = mcp.client[era]("system", "tools/call", params({ _meta: { progressToken: 7 } }));
    (await begun()).settle(new Refusal("provider_error", "No."));
    expect((await answered).json.result).toMatchObject({ isError: true, content: [{ text: "No." }] });
  });
});

/** Sends a call and goes away as soon as it has begun. */
async function callAndLeave(era: "legacy" | "modern", extra: object = {}) {
  const method = "tools/call";
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: params({ _meta: { ...(era === "modern" ? modernMeta : {}), ...extra } }),
  });
  const headers: Record<string, string | undefined> = {
    Host: "localhost",
    "X-API-Key": mcp.key,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Content-Length": String(Buffer.byteLength(body)),
    ...(era === "modern" ? modernHeaders(method, "system_wait") : {}),
  };
  const { hostname, port } = new URL(mcp.app.gatewayUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /system/mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const { call } = await begun();
  await delay(20);
  socket.destroy();
  await delay(100);
  return call.signal;
}

describe("a caller who goes away", () => {
  it.each([[{}], [{ progressToken: 1 }]])("ends a modern call with _meta %j", async (extra) => {
    const signal = await callAndLeave("modern", extra);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: "cancelled" });
  });

  it.each([[{}], [{ progressToken: 1 }]])("lets a legacy call with _meta %j finish", async (extra) => {
    expect((await callAndLeave("legacy", extra)).aborted).toBe(false);
  });
});

describe("the notification that cancels", () => {
  const cancel = (requestId: unknown, client = mcp.client, serverId = "system") =>
    client.post(serverId, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

  it("ends the call with that id of the same caller", async () => {
    const answered = mcp.client.legacy("system", "tools/call", params());
    const { call } = await begun();
    for (const wrong of [2, "1", null, {}, undefined]) expect((await cancel(wrong)).status).toBe(202);
    const { key } = await mcp.createKey();
    await cancel(1, createMcpClient(mcp.app.gatewayUrl, { "x-api-key": key }));
    await cancel(1, mcp.client, "slack");
    expect(call.signal.aborted).toBe(false);
    await cancel(1);
    expect(call.signal.aborted).toBe(true);
    expect((await answered).json.result).toMatchObject({
      isError: true,
      _meta: { "switchyard/error": { code: "cancelled" } },
    });
  });

  it("ends nothing when two clients with one key use the same id", async () => {
    const answers = [1, 2].map(() => mcp.client.legacy("system", "tools/call", params()));
    await begun(2);
    await cancel(1);
    expect(calls.map(({ call }) => call.signal.aborted)).toEqual([false, false]);
    for (const { settle } of calls) settle({ recordId: "r", items: [] });
    await Promise.all(answers);
  });
});

describe("a call knows", () => {
  it("who makes it, under which ids", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    const answered = mcp.client.legacy("system", "tools/call", params(), { traceparent });
    const { call, settle } = await begun();
    settle({ recordId: "r", items: [] });
    const { headers } = await answered;
    expect(call).toMatchObject({
      trace: { traceId: trace },
      requestId: headers.get("x-request-id"),
      arguments: { seconds: 1 },
      tool: { name: "system_wait" },
    });
    expect(call.caller).toEqual({
      organizationId: mcp.owner.organizationId,
      scopes: ["mcp:invoke"],
      apiKey: { id: mcp.keyId, name: "test" },
    });
    const other = mcp
      .connect("system", ["mcp:invoke"])
      .modern("system", "tools/call", params({ _meta: { traceparent } }));
    const second = await begun(2);
    expect(second.call).toMatchObject({
      trace: { traceId: trace },
      caller: { connection: { userId: mcp.owner.userId } },
    });
    second.settle({ recordId: "r", items: [] });
    await other;
  });

  it("a trace of its own when what was sent is none", async () => {
    const answered = mcp.client.legacy("system", "tools/call", params({ _meta: { traceparent: "nonsense" } }), {
      traceparent: "00-zz-1-01",
    });
    const { call, settle } = await begun();
    expect(call.trace.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    settle({ recordId: "r", items: [] });
    await answered;
  });

  it("what was wrong with its body", async () => {
    const answered = mcp.client.legacy("system", "tools/call", { name: "system_wait", arguments: { seconds: "\0" } });
    const { call, settle } = await begun();
    expect(call.fault).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/seconds" }] });
    settle(call.fault as Refusal);
    expect((await answered).json.result?.isError).toBe(true);
  });
});

describe("a call that cannot be taken right now", () => {
  it.each(["rate_limited", "database_unavailable"] as const)("is refused as %s with its status", async (code) => {
    const answered = mcp.client.modern("system", "tools/call", params());
    (await begun()).settle(new Refusal(code, "Not now.", { headers: { "Retry-After": "7" } }));
    const { status, headers, json } = await answered;
    expect([status, headers.get("retry-after")]).toEqual([code === "rate_limited" ? 429 : 503, "7"]);
    expect(json.error).toEqual({
      code: -32000,
      message: "Not now.",
      data: { code, requestId: headers.get("x-request-id") },
    });
  });

  it("fails without telling why when it is our fault, and the log knows", async () => {
    const answered = mcp.client.modern("system", "tools/call", params());
    (await begun()).settle({ recordId: "r", items: [{ secret: 10n }] });
    const { json, text } = await answered;
    expect(json.result).toMatchObject({ isError: true, _meta: { "switchyard/error": { code: "internal_error" } } });
    expect(text).not.toMatch(/BigInt|serialize/);
    expect(mcp.app.logLines.some((line) => line.includes("a tool call failed unexpectedly"))).toBe(true);
  });
});

it("answers everybody with their own, 64 at a time", async () => {
  const count = 1000;
  const keys = await Promise.all(Array.from({ length: 4 }, () => mcp.createKey()));
  const clients = keys.map(({ key }) => createMcpClient(mcp.app.gatewayUrl, { "x-api-key": key }));
  let next = 0;
  let wrong = 0;
  const serve = setInterval(() => {
    for (const { call, settle } of calls.splice(0).sort(() => Math.random() - 0.5))
      settle({ recordId: "r", items: [{ nonce: call.arguments.nonce, key: call.caller }] });
  }, 1);
  const loop = async () => {
    while (next < count) {
      const nonce = next++;
      const client = clients[nonce % clients.length] as (typeof clients)[number];
      const { json } = await client.post("system", {
        jsonrpc: "2.0",
        id: nonce,
        method: "tools/call",
        params: { name: "system_wait", arguments: { nonce } },
      });
      const [item] = (json.result?.structuredContent.items ?? []) as {
        nonce: number;
        key: { apiKey: { id: string } };
      }[];
      if (json.id !== nonce || item?.nonce !== nonce || item.key.apiKey.id !== keys[nonce % keys.length]?.id) wrong++;
    }
  };
  try {
    await Promise.all(Array.from({ length: 64 }, loop));
  } finally {
    clearInterval(serve);
  }
  expect(wrong).toBe(0);
});
