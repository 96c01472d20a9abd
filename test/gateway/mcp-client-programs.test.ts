import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

// Installed apart from everything else, see CONTRIBUTING.md.
const folder = process.env.SWITCHYARD_MCP_CLIENTS ?? path.join(import.meta.dirname, "../clients");
const isInstalled = existsSync(path.join(folder, "node_modules"));
if (!isInstalled && process.env.SWITCHYARD_REQUIRE_REAL_SERVERS === "1")
  throw new Error(`${folder} holds no MCP clients.`);

const home = mkdtempSync(path.join(tmpdir(), "switchyard-mcp-clients-"));
const tools = ["system_date_time", "system_transform_json", "system_wait"];
const answer = {
  items: [
    { iso: expect.any(String), unix: expect.any(Number), timeZone: "Europe/Berlin", weekday: expect.any(String) },
  ],
};
let mcp: McpApp;

/** What the program printed, as JSON. It finds no settings of the person who runs the tests. */
async function run(program: string, words: string[]) {
  const file = path.join(folder, "node_modules", ".bin", program);
  const env = { PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...words], { cwd: home, env, timeout: 15_000 });
  return JSON.parse(stdout);
}

const toolNames = (result: { tools: { name: string }[] }) => result.tools.map(({ name }) => name);

describe.skipIf(!isInstalled)(isInstalled ? "a program" : "a program (skipped: test/clients is not installed)", () => {
  beforeAll(async () => {
    mcp = await startMcpApp();
  });
  afterAll(async () => {
    await mcp.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const url = () => `${mcp.app.gatewayUrl}/system/mcp`;

  it("of the protocol's authors, the inspector, lists and calls", async () => {
    const inspect = (key: string, ...words: string[]) =>
      run("mcp-inspector", [
        "--cli",
        url(),
        "--transport",
        "http",
        "--header",
        `X-API-Key: ${key}`,
        "--method",
        ...words,
      ]);
    expect(toolNames(await inspect(mcp.key, "tools/list"))).toEqual(tools);
    const call = ["tools/call", "--tool-name", "system_date_time", "--tool-arg", "timeZone=Europe/Berlin"];
    expect(await inspect(mcp.key, ...call)).toMatchObject({ structuredContent: answer });
    await expect(inspect("swy_nonsense", "tools/list")).rejects.toThrow();
  }, 60_000);

  it("of somebody else, mcporter, lists and calls", async () => {
    const server = ["--http-url", url(), "--allow-http", "--name", "system", "--no-oauth"];
    const withKey = (key: string) => [...server, "--header", `X-API-Key=${key}`];
    expect(toolNames(await run("mcporter", ["list", ...withKey(mcp.key), "--json"]))).toEqual(tools);
    const call = ["call", "system.system_date_time", "timeZone=Europe/Berlin", "--output", "json"];
    expect(await run("mcporter", [...call, ...withKey(mcp.key)])).toEqual(answer);
    await expect(run("mcporter", ["list", ...withKey("swy_nonsense"), "--json", "--exit-code"])).rejects.toThrow();
  }, 60_000);
});
