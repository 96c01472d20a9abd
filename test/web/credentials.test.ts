import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type LoginPage, pressAndOpenTab, startLoginPage } from "../support/browser/login-page.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signIn, signUpMember, signUpOwner } from "../support/people.ts";
import { node } from "../support/runs/workflow-app.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const secret = "ghp_a-token-that-nobody-may-see-again";
const browser = launchBrowser();
let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let provider: FakeOAuth;
let loginPage: LoginPage;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  provider = await startFakeOAuth();
  provider.accessTokens.add(secret);
  loginPage = await startLoginPage(provider);
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  await signUpMember(app, ann.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await app?.stop();
  await provider?.stop();
  loginPage?.stop();
});
beforeEach(async () => {
  await app.database.query("DELETE FROM workflow");
  await app.database.query("DELETE FROM credential");
  await openAs(ann.email);
});

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(app, email);
  ({ page, complaints } = await browser.open({
    baseUrl: app.platformUrl,
    person,
    isExpected,
    neighborUrls: [loginPage.origin],
    ...options,
  }));
}

// The browser itself reports the statuses by which a form learns what is wrong with it.
const isExpected = (message: ConsoleMessage) =>
  (/\/credentials/.test(message.location().url) && /40[09]/.test(message.text())) ||
  message.location().url.endsWith("/favicon.ico");

const path = () => `/api/organizations/${ann.organizationId}/credentials`;
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const open = (rest = "") => page.goto(`/o/${ann.organizationId}/credentials${rest}`);

async function createGithub(name: string, accessToken = secret): Promise<string> {
  const data = { kind: "bearer", accessToken, baseUrl: provider.url };
  const { status, body } = await ann.browser.post(path(), { type: "github", name, data });
  expect(status).toBe(201);
  return body.id;
}

async function useInWorkflow(credentialId: string, name: string): Promise<void> {
  const credentials = { github: `credential:organization:${credentialId}` };
  const nodes = [node("issues", "github_search_issues", { query: "is:open" }, { name: "List issues", credentials })];
  const { status, body } = await ann.browser.post(`/api/organizations/${ann.organizationId}/workflows`, {
    name,
    canvas: { nodes, edges: [] },
  });
  expect([status, body.code]).toEqual([201, undefined]);
}

/** Everything a script on the page could read. */
const readPage = () =>
  page.evaluate<string>(
    "document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map((field) => field.value).join()",
  );

const defaults = async () =>
  (await ann.browser.get(`/api/organizations/${ann.organizationId}/default-credentials`)).body.data;
const useByDefault = () => dialog().getByRole("checkbox", { name: "Use this account for calls that name no account" });

async function fillToken(token = secret): Promise<void> {
  await dialog().locator("input[type=password]").first().fill(token);
  await dialog().getByText("Other addresses").click();
  await dialog().getByLabel("Base URL").fill(provider.url);
}

async function chooseGithub(): Promise<void> {
  await open();
  await button("New credential").click();
  await page.getByRole("combobox", { name: "Service" }).fill("gith");
  await page.getByRole("option", { name: "GitHub" }).waitFor();
  await page.keyboard.press("Enter");
  await dialog().getByLabel("Name", { exact: true }).waitFor();
}

describe("creating a credential by its fields", () => {
  it("finds the service by typing, tests what was saved, and never shows the secret again", async () => {
    await chooseGithub();
    await dialog().getByLabel("Name", { exact: true }).fill("GitHub of <b>the team</b>");
    expect(
      await dialog()
        .getByLabel(/^Access token/)
        .nth(0)
        .getAttribute("value"),
    ).not.toBe(secret);
    await dialog().locator("input[type=password]").first().fill(secret);
    await dialog().getByText("Other addresses").click();
    await dialog().getByLabel("Base URL").fill(provider.url);
    await button("Save and test").click();
    await heading("GitHub of <b>the team</b>").waitFor();
    await page.getByText("Works", { exact: true }).waitFor();
    const { body } = await ann.browser.get(path());
    expect(body.data).toMatchObject([{ name: "GitHub of <b>the team</b>", type: "github", health: "ok" }]);
    expect(await page.getByLabel("Reference", { exact: true }).inputValue()).toBe(body.data[0].reference);
    expect(await readPage()).not.toContain(secret);
    await page.reload();
    await page.getByText("Set. Leave it empty to keep it.").first().waitFor();
    expect(await readPage()).not.toContain(secret);
    expect(complaints).toEqual([]);
  });

  it("says at the field what is missing, and what the provider answered when it does not work", async () => {
    await chooseGithub();
    await button("Save and test").click();
    await dialog().getByText("Access token is required.").waitFor();
    await page.locator(":focus[type=password]").waitFor();
    await dialog().locator("input[type=password]").first().fill("wrong-token");
    await dialog().getByText("Other addresses").click();
    await dialog().getByLabel("Base URL").fill(provider.url);
    await button("Save and test").click();
    await dialog().getByText("It is saved, but it does not work yet.").waitFor();
    await dialog().getByText("bad token").waitFor();
    await button("Change the fields").click();
    await dialog().locator("input[type=password]").first().fill(secret);
    await button("Save and test").click();
    await heading("GitHub").waitFor();
    await page.getByText("Works", { exact: true }).waitFor();
    expect((await ann.browser.get(path())).body.data).toMatchObject([{ health: "ok" }]);
    expect(complaints).toEqual([]);
  });
});

describe("the first credential of a type", () => {
  it("is used by calls that name none, unless the person says no; the next ones change nothing", async () => {
    await chooseGithub();
    expect(await useByDefault().isChecked()).toBe(true);
    await fillToken("wrong-token");
    await button("Save and test").click();
    await button("Change the fields").click();
    expect(await useByDefault().isChecked()).toBe(true);
    await dialog().locator("input[type=password]").first().fill(secret);
    await button("Save and test").click();
    await heading("GitHub").waitFor();
    const [{ id }] = (await ann.browser.get(path())).body.data;
    expect(await defaults()).toMatchObject([{ type: "github", credentialId: id, apiKeyId: null }]);

    await chooseGithub();
    await dialog().getByText("Calls that name no account use “GitHub”.").waitFor();
    expect(await useByDefault().count()).toBe(0);
    await fillToken();
    await dialog().getByLabel("Name", { exact: true }).fill("Second");
    await button("Save and test").click();
    await heading("Second").waitFor();
    expect(await defaults()).toMatchObject([{ credentialId: id }]);
    expect(complaints).toEqual([]);
  });

  it("stays one that calls have to name when the box is cleared, and a second one is not chosen unasked", async () => {
    await chooseGithub();
    await useByDefault().uncheck();
    await fillToken();
    await button("Save and test").click();
    await heading("GitHub").waitFor();
    expect(await defaults()).toEqual([]);
    await chooseGithub();
    expect(await useByDefault().isChecked()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("is used by calls that name none also when it is connected by OAuth", async () => {
    await chooseGithub();
    await loginPage.fillClient(dialog());
    expect(await useByDefault().isChecked()).toBe(true);
    const tab = await pressAndOpenTab(page, "Connect GitHub");
    await tab.getByRole("link", { name: "Agree" }).click();
    await heading("GitHub").waitFor();
    const [{ id }] = (await ann.browser.get(path())).body.data;
    expect(await defaults()).toMatchObject([{ type: "github", credentialId: id, apiKeyId: null }]);
    expect(complaints).toEqual([]);
  });
});

describe("connecting by OAuth", () => {
  it("goes through another tab, which says that it worked, and the first one goes on by itself", async () => {
    await chooseGithub();
    await loginPage.fillClient(dialog());
    expect(await dialog().getByLabel("Redirect address").inputValue()).toBe(`${app.platformUrl}/api/oauth/callback`);
    await dialog().getByText("read:user").waitFor();
    const tab = await pressAndOpenTab(page, "Connect GitHub");
    await tab.getByText("repo read:user").waitFor();
    await dialog().getByText("Agree at GitHub in the tab that has opened.").waitFor();
    await tab.getByRole("link", { name: "Agree" }).click();
    await tab.getByText("GitHub is connected.").waitFor();
    await heading("GitHub").waitFor();
    await page.getByText("Works", { exact: true }).waitFor();
    const text = (await readPage()) + (await tab.content());
    for (const token of [...provider.accessTokens, ...provider.refreshTokens, "my-client-secret"])
      expect(text).not.toContain(token);
    expect(complaints).toEqual([]);
  });

  it("says in words when the person denied it there, and connects after all at the second try", async () => {
    await chooseGithub();
    await loginPage.fillClient(dialog());
    const tab = await pressAndOpenTab(page, "Connect GitHub");
    await tab.getByRole("link", { name: "Deny" }).click();
    await tab.getByText("GitHub was not connected, because access was denied there.").waitFor();
    await dialog().getByText("GitHub was not connected, because access was denied there.").waitFor();
    const second = await pressAndOpenTab(page, "Try again");
    await second.getByRole("link", { name: "Agree" }).click();
    await heading("GitHub").waitFor();
    await page.getByText("Works", { exact: true }).waitFor();
    expect((await ann.browser.get(path())).body.data).toMatchObject([{ health: "ok" }]);
    expect(complaints).toEqual([]);
  });

  it("connects again what was taken away", async () => {
    const data = { kind: "oauth2", ...provider.connection(), authorizeUrl: loginPage.url };
    const { body } = await ann.browser.post(path(), { type: "github", name: "Taken away", data });
    await app.database.query("UPDATE credential SET health = 'needs_reconnect' WHERE id = $1", [body.id]);
    await open(`/${body.id}`);
    await page.getByText("Not connected", { exact: true }).waitFor();
    const tab = await pressAndOpenTab(page, "Connect GitHub");
    await tab.getByRole("link", { name: "Agree" }).click();
    await page.getByText("Works", { exact: true }).waitFor();
    expect(await dialog().count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("a credential", () => {
  it("is tested, renamed and changed, and keeps the secret that nobody typed in again", async () => {
    const id = await createGithub("Old name");
    await open(`?credential=${id}`);
    await button("Test").click();
    await page.getByText("The connection works.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("New name");
    await button("Save").click();
    await heading("New name").waitFor();
    await page.getByText("Saved.", { exact: true }).waitFor();
    expect((await ann.browser.post(`${path()}/${id}/test`)).body.ok).toBe(true);

    await page.getByLabel("Webhook secret", { exact: true }).fill("hook-secret");
    await button("Save").click();
    await page.getByLabel("Remove the webhook secret that is set").check();
    await button("Save").click();
    await page.getByLabel("Remove the webhook secret that is set").waitFor({ state: "detached" });
    expect((await ann.browser.get(`${path()}/${id}`)).body.data).not.toHaveProperty("webhookSecret");

    const token = page.getByLabel("Access token", { exact: true });
    await token.fill("wrong-token");
    await button("Save").click();
    await eventually(() => token.inputValue()).toBe("");
    await page.getByText("Not checked").waitFor();
    await button("Test").click();
    await page.getByText("Failing", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says since when its token cannot be refreshed, why, and when that is tried again", async () => {
    const data = { kind: "oauth2", ...provider.connection() };
    const { id } = (await ann.browser.post(path(), { type: "github", name: "Shared", data })).body;
    provider.answerToken = () => ({
      status: 401,
      body: JSON.stringify({ error: "invalid_client", error_description: "unknown <b>client</b>" }),
    });
    await ann.browser.post(`${path()}/${id}/test`);
    provider.answerToken = undefined;
    await app.database.query(
      "UPDATE credential SET refresh_paused_until = now() + interval '9 minutes' WHERE id = $1",
      [id],
    );
    await open(`?credential=${id}`);
    await page.getByText("Failing", { exact: true }).waitFor();
    await page.getByText(/GitHub refused the call \(401 invalid_client\): unknown <b>client<\/b>\./).waitFor();
    await page.getByText(/Failing since just now\. +Calls are not tried for another 8 min \d+ s\./).waitFor();
    await button("Test").click();
    await page.getByText(/has failed since .* The next try is in \d+ s/).waitFor();
    await app.database.query("UPDATE credential SET refresh_paused_until = now() WHERE id = $1", [id]);
    await page.reload();
    await page.getByText("The next call tries again.").waitFor();
    await button("Test").click();
    await page.getByText("Works", { exact: true }).waitFor();
    expect(await page.getByText("Token refresh").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("asks for the secret anew when its address changes", async () => {
    const id = await createGithub("Moving");
    await open(`?credential=${id}`);
    await page.getByLabel("Base URL").fill("https://github.example.com");
    await button("Save").click();
    await page
      .getByText("Access token must be entered anew, because where it is sent or what it opens changes.")
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("becomes the default of the organization, and stops being it", async () => {
    const id = await createGithub("Main");
    await open(`?credential=${id}`);
    await button("Make it the default").click();
    await button("Stop using it as default").waitFor();
    expect(await defaults()).toMatchObject([{ type: "github", credentialId: id, apiKeyId: null }]);
    await page.getByRole("link", { name: "All credentials" }).click();
    await page.getByText("Default", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Main" }).click();
    await button("Stop using it as default").click();
    await button("Make it the default").waitFor();
    expect(await defaults()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("names the workflows that use it, and is deleted against the warning only when it was said", async () => {
    const id = await createGithub("Used");
    await useInWorkflow(id, "Nightly <i>report</i>");
    await open(`?credential=${id}`);
    await page.getByRole("link", { name: "Nightly <i>report</i>" }).waitFor();
    await page.getByText("List issues").waitFor();
    await button("Delete this credential").click();
    await dialog().getByText("These stop working: Nightly <i>report</i>.").waitFor();
    await button("Delete it anyway").click();
    await heading("No credentials yet").waitFor();
    expect((await ann.browser.get(path())).body.data).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is not deleted when a workflow began to use it while the question was open", async () => {
    const id = await createGithub("Taken meanwhile");
    await open(`?credential=${id}`);
    await button("Delete this credential").click();
    await dialog().getByText("No workflow uses it.").waitFor();
    await useInWorkflow(id, "Newcomer");
    await button("Delete").click();
    await dialog().getByText('Workflows use this credential: "Newcomer".').waitFor();
    expect((await ann.browser.get(path())).body.data).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});

describe("the list", () => {
  const views: [search: string, role: "main" | "dialog", landmark: string][] = [
    ["", "main", "Alpha"],
    ["?credential=ID", "main", "Default"],
    ["?create=any", "dialog", "Slack"],
    ["?create=slack", "dialog", "Redirect address"],
  ];

  async function expectNothingToPress(): Promise<void> {
    for (const name of [/^New/, /^Test/, /^Save/, /^Delete/, /default/, /^Connect/])
      expect(await page.getByRole("main").getByRole("button", { name }).count()).toBe(0);
  }

  it("keeps the search in the address, and tells viewers everything but lets them change nothing", async () => {
    const id = await createGithub("Alpha");
    await createGithub("Beta");
    await open();
    await page.getByLabel("Search credentials").fill("bet");
    await page.waitForURL(/search=bet/);
    await page.getByRole("link", { name: "Alpha" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("link", { name: "Beta" }).waitFor();
    expect(await page.getByLabel("Search credentials").inputValue()).toBe("bet");

    await openAs("vera@example.com");
    await open();
    await page.getByRole("link", { name: "Alpha" }).waitFor();
    await expectNothingToPress();
    await page.getByRole("link", { name: "Alpha" }).click();
    await page.getByText("Nowhere yet.").waitFor();
    await expectNothingToPress();
    const vera = (await signIn(app, "vera@example.com")).browser;
    const answers = [
      await vera.post(path(), { type: "github", name: "x", data: { kind: "bearer", accessToken: "x" } }),
      await vera.patch(`${path()}/${id}`, { name: "x" }),
      await vera.post(`${path()}/${id}/test`),
      await vera.delete(`${path()}/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(complaints).toEqual([]);
  });

  it.each(views)(
    "fits a telephone and has no serious finding of axe, in light and dark, at %s",
    async (rest, role, landmark) => {
      const id = await createGithub("Alpha");
      await openAs(ann.email, { viewport: { width: 390, height: 844 } });
      await open(rest.replace("ID", id));
      await page.getByRole(role).getByText(landmark, { exact: true }).first().waitFor();
      expect(await sidewaysScrolling(page)).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findAccessibilityFaults(page)).toEqual([]);
      }
      expect(complaints).toEqual([]);
    },
  );
});

describe("the scopes of a connection", () => {
  const data = {
    kind: "oauth2",
    clientId: "client",
    accessToken: "xoxb-canary",
    grantedScopes: "chat:write channels:read files:read",
    furtherScopes: "files:read search:read",
  };
  const slack = async () =>
    await app.parts.vault.credentials.create(ann.organizationId, {
      type: "slack",
      name: "Slack",
      data,
      createdBy: null,
    });

  it("are shown with what each is for and whether it was granted, and can be added to", async () => {
    const { id } = await slack();
    await open(`/${id}`);
    const scopes = page.getByRole("group", { name: "Scopes" });
    await scopes.getByText("View people in a workspace.", { exact: true }).waitFor();
    expect(
      await scopes
        .getByRole("listitem")
        .filter({ hasText: /^chat:writegranted/ })
        .count(),
    ).toBe(1);
    expect(
      await scopes
        .getByRole("listitem")
        .filter({ hasText: /^users:readnot granted/ })
        .count(),
    ).toBe(1);
    expect(await scopes.getByLabel("Other scopes").inputValue()).toBe("search:read");
    await scopes.getByRole("checkbox", { name: /^reactions:write/ }).check();
    await scopes.getByLabel("Other scopes").fill("search:read  team:read ");
    await button("Save").click();
    await page.getByText("Saved.").waitFor();
    const { body } = await ann.browser.get(`${path()}/${id}`);
    expect(body.data.furtherScopes).toBe("files:read reactions:write search:read team:read");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("fit on a phone, in the dark too", async () => {
    const { id } = await slack();
    await openAs(ann.email, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    await open(`/${id}`);
    await page.getByRole("group", { name: "Scopes" }).waitFor();
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });
});
