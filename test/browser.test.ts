import { type Browser, type ConsoleMessage, type Page, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserProgram } from "./support/browser-program.ts";
import { password } from "./support/people.ts";
import { createDataDir, type SpawnedServer, startServer } from "./support/spawned-server.ts";

const folder = createDataDir();
const email = "ann@example.com";
const organization = "Ann's team";
let server: SpawnedServer;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  server = await startServer({ dataDir: folder.dataDir });
  // Not the arguments the package proposes: they turn off the rules of the web that this test is about.
  const args = ["--no-sandbox", "--disable-gpu"];
  browser = await playwright.launch({ executablePath: await browserProgram(), args, headless: true });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await folder.remove();
});
beforeEach(async () => {
  await page?.close();
  complaints = [];
  page = await openPage();
});

/** A page whose errors and foreign requests are written down; a broken content security rule is an error on its console. */
async function openPage(options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
  const opened = await browser.newPage({ baseURL: server.platformUrl, ...options });
  opened.setDefaultTimeout(10_000);
  opened.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && !isSignedOut(message) && complaints.push(message.text()),
  );
  opened.on("pageerror", (error) => complaints.push(String(error)));
  opened.on("request", (request) => request.url().startsWith(`${server.platformUrl}/`) || complaints.push(`foreign: ${request.url()}`));
  return opened;
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

const expectNoSidewaysScrolling = async () =>
  expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);

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
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading("Sign in").waitFor();
    await page.goto("/");
    await heading("Sign in").waitFor();
    await signIn();
    expect(complaints).toEqual([]);
  });

  it("fits a telephone, in light and in dark colours", async () => {
    const backgrounds = new Set<string>();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.close();
      page = await openPage({ colorScheme, viewport: { width: 390, height: 844 } });
      await page.goto("/sign-in");
      await heading("Sign in").waitFor();
      await expectNoSidewaysScrolling();
      await signIn();
      await expectNoSidewaysScrolling();
      backgrounds.add(await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor"));
    }
    expect(backgrounds.size).toBe(2);
    expect(complaints).toEqual([]);
  });
});
