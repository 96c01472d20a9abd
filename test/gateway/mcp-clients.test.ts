import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameTools, onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp();
});
afterAll(() => mcp.stop());

const url = (serverId: string) => new URL(`${mcp.app.gatewayUrl}/${serverId}/mcp`);
const headers = () => ({ "X-API-Key": mcp.key });
const systemTools = ["system_date_time", "system_transform_json", "system_wait"];
const dateTime = { name: "system_date_time", arguments: { timeZone: "Europe/Berlin" } };
const item = {
  iso: expect.any(String),
  unix: expect.any(Number),
  timeZone: "Europe/Berlin",
  weekday: expect.any(String),
};

describe.each([
  ["legacy", "legacy", "2025-11-25"],
  ["auto", "auto", "2026-07-28"],
  ["pinned to 2026-07-28", { pin: "2026-07-28" }, "2026-07-28"],
] as [string, VersionNegotiationMode, string][])(
  "the SDK's client of the second generation, %s",
  (_, mode, revision) => {
    const connect = async (serverId: string, given = headers() as Record<string, string>) => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url(serverId), { requestInit: { headers: given } }));
      return client;
    };

    it("lists and calls", async () => {
      const client = await connect("system");
      try {
        expect(client.getNegotiatedProtocolVersion()).toBe(revision);
        expect(client.getServerVersion()).toMatchObject({ name: "system", title: "System" });
        expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(systemTools);
        expect((await client.callTool(dateTime)).structuredContent).toEqual({ items: [item] });
      } finally {
        await client.close();
      }
    });

    it("is told of progress, of wrong arguments and of unknown tools", async () => {
      const client = await connect("system");
      try {
        const seen: unknown[] = [];
        const wait = { name: "system_wait", arguments: { seconds: 0.1 } };
        await client.callTool(wait, { onprogress: (progress) => void seen.push(progress) });
        expect(seen).toEqual([{ progress: 0, message: "running" }]);
        expect(await client.callTool({ name: "system_wait", arguments: { seconds: -1 } })).toMatchObject({
          isError: true,
        });
        await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toMatchObject({ code: -32602 });
      } finally {
        await client.close();
      }
    });

    it("lists the tools of every provider and finds no fault with their schemas", async () => {
      const listed: Parameters<typeof nameTools>[0][number][] = [];
      for (const id of onDisk.providerIds) {
        const client = await connect(id);
        listed.push({ id, tools: (await client.listTools()).tools });
        await client.close();
      }
      expect(nameTools(listed)).toEqual(onDisk.toolsByProvider);
    });

    it("fails clearly without a valid key", async () => {
      await expect(connect("system", { "X-API-Key": "swy_nonsense" })).rejects.toThrow();
    });
  },
);

it("the SDK's client of the first generation lists and calls", async () => {
  const client = new OldClient({ name: "test", version: "1" });
  await client.connect(
    new OldTransport(url("system"), { requestInit: { headers: headers() } }) as Parameters<OldClient["connect"]>[0],
  );
  try {
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(systemTools);
    expect((await client.callTool(dateTime)).structuredContent).toEqual({ items: [item] });
    const seen: unknown[] = [];
    await client.callTool({ name: "system_wait", arguments: { seconds: 0.1 } }, undefined, {
      onprogress: (progress) => void seen.push(progress),
    });
    expect(seen).toEqual([{ progress: 0, message: "running" }]);
    await client.ping();
  } finally {
    await client.close();
  }
});

it("the AI SDK's client lists and calls", async () => {
  const client = await createMCPClient({ transport: { type: "http", url: url("system").href, headers: headers() } });
  try {
    const tools = await client.tools();
    expect(Object.keys(tools)).toEqual(systemTools);
    const result = await tools.system_date_time?.execute?.(dateTime.arguments, {
      toolCallId: "1",
      messages: [],
    } as never);
    expect(result).toMatchObject({ structuredContent: { items: [item] } });
  } finally {
    await client.close();
  }
});

it("mcp-remote lends the server to a client that only knows standard input and output", async () => {
  const home = mkdtempSync(join(tmpdir(), "switchyard-mcp-remote-"));
  const words = [
    fileURLToPath(import.meta.resolve("mcp-remote/dist/proxy.js")),
    url("system").href,
    "--allow-http",
    "--transport",
    "http-only",
    "--header",
    `X-API-Key:${mcp.key}`,
  ];
  const child = spawn(process.execPath, words, {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: home },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    return JSON.parse((await lines.next()).value as string) as { id: number; result: Record<string, unknown> };
  };
  try {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    expect((await ask({ id: 1, method: "initialize", params })).result).toMatchObject({
      serverInfo: { name: "system" },
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    expect((await ask({ id: 2, method: "tools/list" })).result.tools).toHaveLength(3);
    expect((await ask({ id: 3, method: "tools/call", params: dateTime })).result).toMatchObject({
      structuredContent: { items: [item] },
    });
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
});
