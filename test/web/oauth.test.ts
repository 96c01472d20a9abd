import { createServer } from "node:http";
import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { freePort } from "../support/free-port.ts";
import { startMcpRemote } from "../support/gateway/mcp-remote.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { createChallenge } from "../support/oauth/oauth-client.ts";
import { password, signIn as signInPerson, signUpMember } from "../support/people.ts";
import { startTestApp } from "../support/test-app.ts";

const clientName = "<b>Test</b> client";
/** The application on the person's computer, which the browser comes back to. */
const application = createServer((_request, response) =>
  response.setHeader("content-type", "text/html").end("<h1>Connected</h1>"),
);
const browser = launchBrowser();
let redirectUri: string;
let oauth: OAuthApp;
let page: Page;
let complaints: string[];
let secondOrganizationId: string;

beforeAll(async () => {
  const port = await freePort();
  redirectUri = `http://localhost:${port}/callback`;
  application.listen(port, "localhost");
  oauth = await startOAuthApp();
  secondOrganizationId = (await oauth.ann.browser.post("/api/organizations", { name: "Second team" })).body.id;
  await signUpMember(oauth.app, oauth.ann.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await oauth?.stop();
  application.close();
});
beforeEach(() => openBrowser());

/** A browser in which nobody is signed in. */
async function openBrowser(options: BrowserContextOptions = {}, baseUrl = oauth.app.platformUrl): Promise<void> {
  const neighborUrls = [oauth.app.gatewayUrl, new URL(redirectUri).origin];
  ({ page, complaints } = await browser.open({ baseUrl, neighborUrls, isExpected, ...options }));
}

// The browser itself reports the statuses by which the page learns that nobody is signed in, or that a request is over.
const isExpected = (message: ConsoleMessage) =>
  /\/api\/(me|oauth\/consent-requests\/)/.test(message.location().url) && /40[014]/.test(message.text());

const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const arrival = () =>
  page.waitForURL((url) => url.href.startsWith(`${redirectUri}?`)).then(() => new URL(page.url()).searchParams);

/** What a client does before it opens the browser. */
async function prepareClient({ serverId }: { serverId?: string }) {
  const metadata = {
    redirect_uris: [redirectUri],
    client_name: clientName,
    logo_uri: "https://tracker.example/logo.png",
  };
  const clientId = String((await oauth.client.register(metadata)).body.client_id);
  const { verifier, challenge } = createChallenge();
  const resource = serverId === undefined ? undefined : oauth.client.resourceOf(serverId);
  const request = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s", resource };
  const exchange = async (code: string) => {
    const grant = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: verifier,
    };
    return (await oauth.client.token(grant)).body;
  };
  return {
    url: oauth.client.authorizeUrl({ ...request, code_challenge: challenge, code_challenge_method: "S256" }),
    exchange,
  };
}

async function signIn(email: string): Promise<void> {
  await heading("Sign in").waitFor();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await button("Sign in").click();
  await heading("Sign in").waitFor({ state: "detached" });
}

/** A session of her own for each test, without the page. */
async function signInAnn(): Promise<void> {
  const session = await signInPerson(oauth.app, oauth.ann.email);
  const cookies = [...session.browser.cookies].map(([name, value]) => ({ name, value, url: oauth.app.platformUrl }));
  await page.context().addCookies(cookies);
}

describe("the consent page", () => {
  it("asks to sign in first, comes back, and grants what was left checked to the chosen organization, by keyboard", async () => {
    const { url, exchange } = await prepareClient({ serverId: "platform" });
    await page.goto(url);
    await signIn(oauth.ann.email);
    await heading("Connect an application").waitFor();
    await page.getByText(clientName, { exact: true }).waitFor();
    await page.getByText(`${new URL(redirectUri).host}, on this computer`).waitFor();
    await page.getByText("nobody has verified this name").waitFor();
    await page.getByText("any program can ask in any name").waitFor();
    await page.getByText("Signed in as Ann (ann@example.com)").waitFor();
    expect(await page.getByLabel("Organization", { exact: true }).inputValue()).toBe("");
    await page.getByLabel("Organization", { exact: true }).selectOption("Second team");
    await page.getByRole("checkbox", { name: "platform:write" }).focus();
    await page.keyboard.press("Space");
    await button("Approve").focus();
    await page.keyboard.press("Enter");
    const answer = await arrival();
    expect(answer.get("state")).toBe("s");
    expect((await exchange(answer.get("code") ?? "")).scope).toBe("platform:read");
    const list = await oauth.ann.browser.get(`/api/organizations/${secondOrganizationId}/connections`);
    expect(list.body.data).toMatchObject([{ clientName, serverId: "platform", scopes: ["platform:read"] }]);
    expect(complaints).toEqual([]);
  });

  it("lets nobody approve nothing, and tells the client when the person says no", async () => {
    await signInAnn();
    await page.goto((await prepareClient({ serverId: "platform" })).url);
    await page.getByLabel("Organization", { exact: true }).selectOption("Ann's team");
    for (const name of ["platform:read", "platform:write"]) await page.getByRole("checkbox", { name }).uncheck();
    await button("Approve").click();
    await page.getByText("Allow at least one thing").waitFor();
    await button("Deny").click();
    expect((await arrival()).get("error")).toBe("access_denied");
    expect(complaints).toEqual([]);
  });

  it("lets the person pick the server when the client named none", async () => {
    await signInAnn();
    const { url, exchange } = await prepareClient({});
    await page.goto(url);
    await page.getByLabel("Organization", { exact: true }).selectOption("Ann's team");
    await button("Approve").click();
    expect(page.url()).toContain("/consent/");
    await page.getByLabel("Server", { exact: true }).selectOption("System");
    await button("Approve").click();
    const tokens = await exchange((await arrival()).get("code") ?? "");
    expect((await oauth.client.use(tokens.access_token).modern("system", "tools/list")).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  it("lets the person choose the account that the application works with", async () => {
    const save = (name: string) => {
      const request = { type: "github", name, data: { kind: "bearer", accessToken: "canary-token" } };
      return oauth.ann.browser.post(`/api/organizations/${secondOrganizationId}/credentials`, request);
    };
    const account = page.getByLabel("Account", { exact: true });
    const visit = async () => {
      const client = await prepareClient({ serverId: "github" });
      await page.goto(client.url);
      await page.getByLabel("Organization", { exact: true }).selectOption("Second team");
      return client;
    };
    await signInAnn();
    await visit();
    await page.getByText("No GitHub account is connected yet, so calls of this application will be refused.").waitFor();
    const first = (await save("<i>First</i>")).body;
    await visit();
    expect(await account.inputValue()).toBe(first.id);
    const second = (await save("Second")).body;
    const { exchange } = await visit();
    expect(await account.inputValue()).toBe("");
    await page.getByText("Calls that name no account will be refused.").waitFor();
    expect(await account.locator("option").allTextContents()).toEqual([
      "None: each call has to name one",
      "Second",
      "<i>First</i>",
    ]);
    await account.selectOption("Second");
    await button("Approve").click();
    await exchange((await arrival()).get("code") ?? "");
    const list = await oauth.ann.browser.get(`/api/organizations/${secondOrganizationId}/connections`);
    expect(list.body.data[0]).toMatchObject({ serverId: "github", credentialId: second.id });
    await page.goto(`/o/${secondOrganizationId}/connections`);
    await page.getByText("Uses the account Second", { exact: true }).waitFor();

    await oauth.ann.browser.send("PUT", `/api/organizations/${secondOrganizationId}/default-credentials/github`, {
      credentialId: first.id,
    });
    await visit();
    expect(await account.inputValue()).toBe("");
    expect(await account.locator("option").first().textContent()).toBe("Default: <i>First</i>");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("changes to another account, which may grant what its role allows", async () => {
    await signInAnn();
    const { url, exchange } = await prepareClient({ serverId: "platform" });
    await page.goto(url);
    await button("Use another account").click();
    await signIn("vera@example.com");
    await page.getByText("Signed in as Vera").waitFor();
    expect(await page.getByLabel("Organization", { exact: true }).inputValue()).toBe(oauth.ann.organizationId);
    expect(await page.getByRole("checkbox", { name: "platform:write" }).isDisabled()).toBe(true);
    await button("Approve").click();
    expect((await exchange((await arrival()).get("code") ?? "")).scope).toBe("platform:read");
    await page.goto((await prepareClient({ serverId: "system" })).url);
    await button("Approve").click();
    await page.getByText("cannot let an application act on it").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says what to do when the request is unknown, or over by the time the person decides", async () => {
    await signInAnn();
    await page.goto("/consent/unknown-request");
    await heading("This request is no longer open").waitFor();
    await page.goto((await prepareClient({ serverId: "system" })).url);
    await page.getByLabel("Organization", { exact: true }).selectOption("Ann's team");
    await oauth.app.database.query("UPDATE oauth_token SET expires_at = now() WHERE model = 'Interaction'");
    await button("Approve").click();
    await heading("This request is no longer open").waitFor();
    expect(complaints).toEqual([]);
  });

  it("fits a telephone in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await openBrowser({ colorScheme, viewport: { width: 390, height: 844 } });
      await signInAnn();
      await page.goto((await prepareClient({ serverId: "platform" })).url);
      await heading("Connect an application").waitFor();
      expect(await sidewaysScrolling(page)).toBe(0);
      expect(await findAccessibilityFaults(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});

describe("mcp-remote", () => {
  it("connects through the page, works, and is ended at once by one press", async () => {
    const remote = startMcpRemote(oauth.client.resourceOf("system"), await freePort());
    try {
      await signInAnn();
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const initialized = remote.ask({ id: 1, method: "initialize", params });
      await page.goto(await remote.visit);
      await page.getByLabel("Organization", { exact: true }).selectOption("Ann's team");
      await button("Approve").click();
      await page.waitForURL(/\/oauth\/callback\?/);
      expect((await initialized).result).toMatchObject({ serverInfo: { name: "system" } });
      remote.send({ method: "notifications/initialized" });
      expect((await remote.ask({ id: 2, method: "tools/list" })).result?.tools).toHaveLength(3);
      const { access_token: token, refresh_token: first, client_id } = remote.kept();
      const refresh = (refresh_token: string) =>
        oauth.client.token({ grant_type: "refresh_token", refresh_token, client_id });
      const renewed = await refresh(first);
      expect(renewed.status).toBe(200);
      expect((await oauth.client.use(token).modern("system", "tools/list")).status).toBe(200);

      await page.goto(`/o/${oauth.ann.organizationId}/connections`);
      const disconnect = page.getByRole("button", { name: /^Disconnect MCP CLI Proxy.* from System$/ });
      await disconnect.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Disconnect" }).click();
      await dialog.waitFor({ state: "detached" });
      await disconnect.waitFor({ state: "detached" });
      expect((await oauth.client.use(token).modern("system", "tools/list")).status).toBe(401);
      expect(await refresh(String(renewed.body.refresh_token))).toMatchObject({
        status: 400,
        body: { error: "invalid_grant" },
      });
    } finally {
      remote.stop();
    }
  });
});

describe("a fresh server", () => {
  it("comes back to the application's request after the first account was made", async () => {
    const fresh = await startTestApp();
    try {
      await openBrowser({}, fresh.platformUrl);
      await page.goto("/consent/some-request");
      await heading("Create the first account").waitFor();
      await page.getByLabel("Your name").fill("Eve");
      await page.getByLabel("Email").fill("eve@example.com");
      await page.getByLabel("Password", { exact: true }).fill(password);
      await page.getByLabel("Organization").fill("Eve's team");
      await button("Create account").click();
      await heading("This request is no longer open").waitFor();
      expect(new URL(page.url()).pathname).toBe("/consent/some-request");
    } finally {
      await fresh.stop();
    }
  });
});

describe("the page of connected applications", () => {
  it("tells how to connect when nothing is, and the doctor finds the way open", async () => {
    await signInAnn();
    const { body } = await oauth.ann.browser.post("/api/organizations", { name: "Third team" });
    await page.goto(`/o/${body.id}/connections`);
    await heading("Nothing is connected yet").waitFor();
    await page.getByLabel("Server", { exact: true }).selectOption("Notion");
    expect(await page.getByLabel("Claude Code").inputValue()).toBe(
      `claude mcp add --transport http notion ${oauth.client.resourceOf("notion")}`,
    );
    await page.getByRole("link", { name: "Find out where it stops" }).click();
    await heading("Connection doctor").waitFor();
    await button("Check").click();
    await page.getByText("An application can connect, but a call that names no account is refused.").waitFor();
    await page.getByLabel("Server", { exact: true }).selectOption("System");
    await button("Check").click();
    await page.getByText("An application can connect.", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
