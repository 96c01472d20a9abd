import { afterAll, beforeAll, expect, it } from "vitest";
import { nameTools, onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp();
});
afterAll(() => mcp.stop());

type Entry = Record<string, unknown> & {
  id: string;
  url: string;
  tools: (Record<string, unknown> & { name: string })[];
};
type Catalogue = { data: Entry[]; meta: unknown };

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(mcp.app.gatewayUrl + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const catalogue = async () => JSON.parse((await get("/servers")).text) as Catalogue;

it("lists the servers and tools of all providers and of the platform to anybody", async () => {
  const { status, headers } = await get("/servers", { origin: "https://somewhere.example" });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  const { data, meta } = await catalogue();
  expect(nameTools(data)).toEqual(onDisk.toolsByServer);
  expect(data).toHaveLength(onDisk.serverIds.length);
  expect(meta).toEqual({ serverCount: onDisk.serverIds.length, toolCount: onDisk.serverTools.length });
  expect(data.reduce((sum, { toolCount }) => sum + Number(toolCount), 0)).toBe(onDisk.serverTools.length);
});

it("says of each server what a client has to know", async () => {
  const { data } = await catalogue();
  for (const entry of data) {
    const isPlatform = entry.id === "platform";
    expect(entry, entry.id).toEqual({
      id: expect.stringMatching(/^[a-z0-9_]+$/),
      name: expect.any(String),
      description: expect.stringMatching(/./),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      instructions: expect.stringMatching(/./),
      icon: expect.stringMatching(/^data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+$/),
      url: `${mcp.app.gatewayUrl}/${entry.id}/mcp`,
      authMethods: isPlatform ? ["oauth"] : ["apiKey", "oauth"],
      scopes: isPlatform ? ["platform:read", "platform:write"] : ["mcp:invoke"],
      toolCount: entry.tools.length,
      tools: expect.any(Array),
    });
    for (const { name: _, ...tool } of entry.tools)
      expect(Object.keys(tool)).toEqual([
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "credentials",
        "scopes",
      ]);
  }
  const platform = data.find(({ id }) => id === "platform");
  expect(platform?.tools.filter(({ scopes }) => String(scopes) === "platform:write").map(({ name }) => name)).toEqual([
    "platform_set_trigger_active",
  ]);
});

it("lists the tools that the servers themselves list, at the addresses it gives", async () => {
  const { data } = await catalogue();
  const platform = mcp.connect("platform", ["platform:read"]);
  for (const { id, tools, url } of data) {
    expect(new URL(url).pathname).toBe(`/${id}/mcp`);
    const listed = (await (id === "platform" ? platform : mcp.client).legacy(id, "tools/list")).json.result?.tools;
    expect(
      tools.map(({ credentials: _c, scopes: _s, ...tool }) => tool),
      id,
    ).toEqual(listed);
  }
});

it("gives one server alone, as in the list", async () => {
  const { data } = await catalogue();
  expect(JSON.parse((await get("/servers/slack")).text)).toEqual(data.find(({ id }) => id === "slack"));
  for (const path of ["/servers/nothing", "/servers/__proto__", "/servers/"])
    expectProblem(await get(path), { status: 404, code: "not_found" });
});

it.each(["/servers", "/servers/slack"])("lets caches keep %s and ask again cheaply", async (path) => {
  const first = await get(path);
  const tag = first.headers.get("etag") as string;
  expect(tag).toMatch(/^"[\w-]{20,}"$/);
  expect(first.headers.get("cache-control")).toBe("public, max-age=300");
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const again = await get(path, { "if-none-match": known });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
  }
  expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
  expect((await fetch(mcp.app.gatewayUrl + path, { method: "POST" })).status).toBe(405);
});

it("writes the addresses as the operator wants them", async () => {
  const other = await startMcpApp({
    environment: { MCP_SERVER_URL_TEMPLATE: "https://{serverId}.tools.example.com/mcp" },
  });
  try {
    const { data } = JSON.parse(await (await fetch(`${other.app.gatewayUrl}/servers`)).text()) as Catalogue;
    expect(data.find(({ id }) => id === "slack")?.url).toBe("https://slack.tools.example.com/mcp");
  } finally {
    await other.stop();
  }
});

it("holds nothing of the conformance suite", async () => {
  const { data } = await catalogue();
  expect(data.map(({ id }) => id)).not.toContain("conformance");
});
