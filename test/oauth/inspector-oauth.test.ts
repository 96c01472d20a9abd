import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { freePort } from "../support/free-port.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { password } from "../support/people.ts";

// Installed apart from everything else, see CONTRIBUTING.md.
const folder = process.env.SWITCHYARD_MCP_CLIENTS ?? path.join(import.meta.dirname, "../clients");
const isInstalled = existsSync(path.join(folder, "node_modules"));
if (!isInstalled && process.env.SWITCHYARD_REQUIRE_REAL_SERVERS === "1")
  throw new Error(`${folder} holds no MCP clients.`);

let oauth: OAuthApp;
let browser: ReturnType<typeof launchBrowser>;
let inspector: ReturnType<typeof startInspector>;

/** The inspector's web program, knowing one server and no key. It opens no browser and keeps nothing. */
function startInspector(serverUrl: string, port: number) {
  const home = mkdtempSync(path.join(tmpdir(), "switchyard-inspector-"));
  const program = path.join(folder, "node_modules", ".bin", "mcp-inspector");
  const ports = { CLIENT_PORT: String(port), MCP_SANDBOX_PORT: "0", MCP_APP_ORIGIN_PORT: "0" };
  const env = {
    PATH: home,
    HOME: home,
    MCP_AUTO_OPEN_ENABLED: "false",
    MCP_INSPECTOR_SECRET_STORE: "memory",
    ...ports,
  };
  const words = [program, "--web", "--transport", "http", "--server-url", serverUrl];
  const child = spawn(process.execPath, words, { cwd: home, env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const address = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /https?:\/\/\S+\?MCP_INSPECTOR_API_TOKEN=\S+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    child.once("exit", () => reject(new Error("The inspector ended before it said where it listens.")));
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  return { address, stop };
}

/** Presses the inspector's switch and decides on the consent page, in a browser in which nobody is signed in. */
async function connect(decision: "Approve" | "Deny", look: (page: Page) => Promise<void>): Promise<void> {
  const address = new URL(await inspector.address);
  const { page, close } = await browser.open({ baseUrl: address.origin, isForeign: true });
  try {
    // Its page wants fonts from far away.
    await page.route(
      (url) => !["127.0.0.1", "localhost"].includes(url.hostname),
      (route) => route.abort(),
    );
    await page.goto(address.href);
    // The visible switch covers the input that carries the role.
    await page.getByRole("switch", { name: /^Connect or disconnect/ }).click({ force: true });
    await page.getByLabel("Email").fill(oauth.ann.email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("MCP Inspector", { exact: true }).waitFor();
    await page.getByText(`${address.host}, on this computer`).waitFor();
    await page.getByRole("button", { name: decision, exact: true }).click();
    await page.waitForURL((url) => url.origin === address.origin);
    await look(page);
  } finally {
    await close();
  }
}

const connections = async () =>
  (await oauth.ann.browser.get(`/api/organizations/${oauth.ann.organizationId}/connections`)).body.data;

describe.skipIf(!isInstalled)(
  isInstalled ? "the inspector" : "the inspector (skipped: test/clients is not installed)",
  () => {
    browser = launchBrowser();
    beforeAll(async () => {
      oauth = await startOAuthApp();
      inspector = startInspector(oauth.client.resourceOf("system"), await freePort());
      await inspector.address;
    });
    afterAll(async () => {
      await inspector?.stop();
      await oauth?.stop();
    });

    it("is not connected when the person says no", async () => {
      await connect("Deny", async (page) => {
        await page.getByText("access_denied").first().waitFor();
        expect(await page.getByText("Connected", { exact: true }).count()).toBe(0);
      });
      expect(await connections()).toEqual([]);
    });

    it("connects without a key once the person approves, lists the tools and calls one", async () => {
      await connect("Approve", async (page) => {
        await page.getByText("Connected", { exact: true }).waitFor();
        await page.getByText("Tools", { exact: true }).click();
        await page.getByRole("heading", { name: "Tools (3)" }).waitFor();
        await page.getByText("system_date_time", { exact: true }).click();
        await page.getByRole("button", { name: "Execute Tool" }).click();
        await page.getByRole("heading", { name: "Structured Output" }).waitFor();
      });
      expect(await connections()).toMatchObject([
        { clientName: "MCP Inspector", serverId: "system", scopes: ["mcp:invoke"] },
      ]);
    });
  },
);
