import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { password } from "../support/people.ts";
import { createDataDir, type SpawnedServer, startServer } from "../support/spawned-server.ts";

const folder = createDataDir();
const email = "ann@example.com";
const organization = "Ann's team";
const browser = launchBrowser();
let server: SpawnedServer;
let page: Page;
let complaints: string[];
let undocumented: string[];

beforeAll(async () => {
  server = await startServer({ dataDir: folder.dataDir });
});
afterAll(async () => {
  await server?.stop();
  await folder.remove();
});
beforeEach(() => openBrowser());

async function openBrowser(options: BrowserContextOptions = {}): Promise<void> {
  const opened = await browser.open({ baseUrl: server.platformUrl, isExpected: isSignedOut, ...options });
  ({ page, complaints, undocumented } = opened);
}

// The browser itself reports the 401 by which the web UI learns that nobody is signed in.
const isSignedOut = (message: ConsoleMessage) =>
  message.location().url === `${server.platformUrl}/api/me` && message.text().includes("401");

const heading = (name: string) => page.getByRole("heading", { name, exact: true });

async function signIn(): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading(`Welcome to ${organization}`).waitFor();
}

describe("the web UI of a fresh server", () => {
  it("leads the first visitor to an account and its organization, and keeps the session", async () => {
    await page.goto("/");
    await heading("Create the first account").waitFor();
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByLabel("Organization").fill(organization);
    await page.getByRole("button", { name: "Create account" }).click();
    await heading(`Welcome to ${organization}`).waitFor();
    await page.reload();
    await heading(`Welcome to ${organization}`).waitFor();
    expect(complaints).toEqual([]);
  });

  it("lets a person out and in again", async () => {
    await signIn();
    await page.getByRole("button", { name: "Account: Ann" }).click();
    const left = page.waitForEvent("load");
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await left;
    await heading("Sign in").waitFor();
    await page.goto("/");
    await heading("Sign in").waitFor();
    await signIn();
    expect(complaints).toEqual([]);
  });

  it("fits a telephone, in light and in dark colours", async () => {
    const backgrounds = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      await openBrowser({ colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto("/sign-in");
      await heading("Sign in").waitFor();
      expect(await sidewaysScrolling(page)).toBe(0);
      await signIn();
      expect(await sidewaysScrolling(page)).toBe(0);
      backgrounds.add(await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor"));
    }
    expect(backgrounds.size).toBe(2);
    expect(complaints).toEqual([]);
  });
});

describe("the watch over what pages ask for", () => {
  it("complains about what the OpenAPI document does not list, and about nothing else", async () => {
    await page.goto("/sign-in");
    await heading("Sign in").waitFor();
    await page.route("**/api/setup", (route) => route.fulfill({ status: 203, json: {} }));
    await page.route("**/api/sign-out", (route) => route.fulfill({ status: 500, body: "Oops" }));
    await page.evaluate(`Promise.all([
      fetch("/api/me"), fetch("/api/nothing?a=1"), fetch("/api/me", { method: "DELETE" }), fetch("/elsewhere"),
      fetch("/api/setup"), fetch("/api/sign-out", { method: "POST" }),
    ])`);
    await eventually(() => undocumented.length).toBe(5);
    expect(undocumented.splice(0).sort()).toEqual([
      "DELETE /api/me is not in the document",
      "GET /api/nothing is not in the document",
      "GET /api/setup answered 203, which is not in the document",
      "GET /elsewhere is not in the document",
      "POST /api/sign-out answered 500, which is not in the document",
    ]);
  });
});
