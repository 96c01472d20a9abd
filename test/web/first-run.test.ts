import type { BrowserContextOptions, ConsoleMessage, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { password, signIn, signUpMember } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const browser = launchBrowser();
let app: TestApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

async function openBrowser(email?: string, options: BrowserContextOptions = {}): Promise<void> {
  const person = email ? { person: (await signIn(app, email)).browser } : {};
  ({ page, complaints } = await browser.open({
    baseUrl: app.platformUrl,
    isExpected: isSignedOut,
    ...person,
    ...options,
  }));
}

// The browser itself reports the 401 by which the page learns that nobody is signed in.
const isSignedOut = (message: ConsoleMessage) =>
  message.location().url.endsWith("/api/me") && message.text().includes("401");

const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const step = (title: string) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title }) });
const isDone = (title: string) => step(title).getByText("Done", { exact: true });
const textOf = async (place: Locator) => (await place.textContent()) ?? "";

/** What a person would run in a terminal, run: the headers and the body of the command that the page shows. */
async function runCommand(text: string) {
  const url = /curl -s (\S+)/.exec(text)?.[1] ?? "";
  const headers = Object.fromEntries(
    [...text.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name, value]) => [name, value]),
  );
  const body = /-d '(.+)'/s.exec(text)?.[1] ?? "";
  const response = await fetch(url, { method: "POST", headers, body });
  return (await response.json()) as { result?: { structuredContent?: { items: { timeZone: string }[] } } };
}

describe("the first run", () => {
  it("goes from the set-up form over the guide to the first call, which arrives by itself, and forgets the key", async () => {
    await openBrowser();
    await page.goto("/");
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Email").fill("ann@example.com");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByLabel("Organization").fill("Ann's team");
    await page.getByRole("button", { name: "Create account" }).click();
    await heading("Welcome to Ann's team").waitFor();
    expect(await isDone("Create a key").count()).toBe(0);

    await page.getByRole("button", { name: "Create key" }).click();
    await isDone("Create a key").waitFor();
    const key = await page.getByLabel("API key", { exact: true }).inputValue();
    expect(key).toMatch(/^swy_/);

    await step("Connect a client").getByRole("tab", { name: "Cursor" }).click();
    const entry = { mcpServers: { system: { url: `${app.gatewayUrl}/system/mcp`, headers: { "X-API-Key": key } } } };
    await eventually(() => textOf(step("Connect a client").locator("pre:visible"))).toBe(
      JSON.stringify(entry, null, 2),
    );
    expect(await isDone("Connect a client").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);

    const answer = await runCommand(await textOf(step("See the call arrive").locator("pre")));
    expect(answer.result?.structuredContent?.items[0]?.timeZone).toBe("UTC");
    await isDone("See the call arrive").waitFor();
    await isDone("Connect a client").waitFor();
    await page.getByRole("link", { name: /Succeeded.*system_date_time.*My first client/ }).waitFor();

    await page.getByRole("button", { name: "Go to the overview" }).click();
    await heading("Recent calls").waitFor();
    await page.reload();
    await heading("Recent calls").waitFor();
    await page.getByRole("link", { name: /system_date_time/ }).waitFor();
    expect(await page.content()).not.toContain("swy_");
    await page.getByText("of 5 slots in use").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("names what needs attention, in words, with the way there", async () => {
    const ann = await signIn(app, "ann@example.com");
    const { id: organizationId } = (await ann.browser.get("/api/me")).body.organizations[0];
    const data = { kind: "bearer", accessToken: "x" };
    const account = await app.parts.vault.credentials.create(organizationId, {
      type: "github",
      name: "<u>Work</u>",
      data,
      createdBy: null,
    });
    await app.database.query("UPDATE credential SET health = 'needs_reconnect'");
    await openBrowser(ann.email);
    await page.goto("/");
    await page.getByText("The account <u>Work</u> must be connected again").waitFor();
    const link = page.getByRole("link", { name: "Open the account <u>Work</u>" });
    expect(await link.getAttribute("href")).toContain(`credential=${account.id}`);
    expect(complaints).toEqual([]);
  });

  it("tells an account that lacks something from one that its service refuses", async () => {
    const ann = await signIn(app, "ann@example.com");
    const { id: organizationId } = (await ann.browser.get("/api/me")).body.organizations[0];
    const request = { type: "http_auth", name: "Old", data: { authKind: "none" }, createdBy: null };
    const { id } = await app.parts.vault.credentials.create(organizationId, request);
    const saved = JSON.stringify({ authKind: "bearer", secret: "••••••••" });
    await app.database.query("UPDATE credential SET public_data = $2 WHERE id = $1", [id, saved]);
    await openBrowser(ann.email);
    await page.goto("/");
    await page.getByText("The account Old lacks something it needs").waitFor();
    await app.database.query("UPDATE credential SET public_data = $2, health = 'failing' WHERE id = $1", [
      id,
      '{"authKind":"none"}',
    ]);
    await page.reload();
    await page.getByText("The account Old is refused by its service, or gets no new token from it.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("holds each step from what the server knows: an organization with a used key and no call waits only for the call", async () => {
    const ann = await signIn(app, "ann@example.com");
    const { id } = (await ann.browser.post("/api/organizations", { name: "<b>Second</b> team" })).body;
    const { key } = (
      await ann.browser.post(`/api/organizations/${id}/api-keys`, { name: "<i>old</i>", scopes: ["mcp:invoke"] })
    ).body;
    await openBrowser(ann.email);
    await page.goto(`/o/${id}`);
    await heading("Welcome to <b>Second</b> team").waitFor();
    await isDone("Create a key").waitFor();
    await page.getByText("<i>old</i>").waitFor();
    expect(await isDone("Connect a client").count()).toBe(0);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { "x-api-key": key, "content-type": "application/json" };
    await fetch(`${app.gatewayUrl}/system/mcp`, { method: "POST", headers, body: JSON.stringify(list) });
    await isDone("Connect a client").waitFor();
    expect(await isDone("See the call arrive").count()).toBe(0);
    expect(await page.content()).not.toContain(key);
    await page.getByRole("link", { name: "start with a workflow that runs" }).click();
    await page.waitForURL(`**/o/${id}/workflows/templates?template=first-run`);
    await page.getByRole("button", { name: "Use this template" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("leads a member in with OAuth, without a step that only admins can take", async () => {
    const ann = await signIn(app, "ann@example.com");
    const { id } = (await ann.browser.post("/api/organizations", { name: "Third team" })).body;
    const max = await signUpMember(app, id, "Max", "member");
    await openBrowser(max.email, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    await page.goto(`/o/${id}`);
    await heading("Welcome to Third team").waitFor();
    const command = `claude mcp add --transport http system ${app.gatewayUrl}/system/mcp`;
    await eventually(() => textOf(step("Connect a client").locator("pre:visible"))).toBe(command);
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("an invitation that is over", () => {
  it("says what helps instead of a way to try again", async () => {
    await openBrowser();
    await page.goto(`/invitation/${crypto.randomUUID()}?token=x`);
    await heading("This invitation is no longer open").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });
});
