import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type OpenPage, sidewaysScrolling } from "../support/browser/open-page.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const browser = launchBrowser();
let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let opened: OpenPage;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  path = `/o/${ann.organizationId}/api-keys`;
});
afterAll(() => app?.stop());
beforeEach(async () => {
  await app.database.query("DELETE FROM api_key");
  opened = await browser.open({ baseUrl: app.platformUrl, person: ann.browser });
});

const page = () => opened.page;
const button = (name: string) => page().getByRole("button", { name, exact: true });
const dialog = () => page().getByRole("dialog");
const keyField = () => page().getByLabel("API key", { exact: true });

const createKey = async (body: object) =>
  (await ann.browser.post(`/api/organizations/${ann.organizationId}/api-keys`, { scopes: ["mcp:invoke"], ...body }))
    .body;
const listKeys = async () => (await ann.browser.get(`/api/organizations/${ann.organizationId}/api-keys`)).body.data;

/** How the gateway takes a key: the status of a request, and the tools it may see there. */
async function useKey(key: string, serverId = "system") {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const response = await fetch(`${app.gatewayUrl}/${serverId}/mcp`, { method: "POST", headers, body });
  const { result } = (await response.json()) as { result?: { tools: { name: string }[] } };
  return { status: response.status, tools: result?.tools.map(({ name }) => name) };
}

describe("the page of API keys", () => {
  it("creates a key with nothing ticked beforehand and shows its text once, with a first request that works", async () => {
    await page().goto(path);
    await page().getByText("No keys yet").waitFor();
    await button("Create key").click();
    await dialog().getByLabel("Name").fill("<img src=x onerror=alert(1)>");
    expect(await dialog().getByRole("checkbox", { checked: true }).count()).toBe(0);
    await dialog().getByRole("button", { name: "Create key" }).click();
    await page().getByText("Choose at least one thing").waitFor();
    await dialog().getByRole("checkbox", { name: "Call tools" }).check();
    await dialog().getByRole("radio", { name: "Never" }).check();
    await page().getByText("A key that never expires").waitFor();
    await dialog().getByRole("radio", { name: "In 30 days" }).check();
    expect(await findAccessibilityFaults(page())).toEqual([]);
    await dialog().getByRole("button", { name: "Create key" }).click();

    const key = await keyField().inputValue();
    await page().locator(":focus").and(keyField()).waitFor();
    expect(await useKey(key)).toMatchObject({ status: 200 });
    const command = (await dialog().locator("pre").textContent()) ?? "";
    expect(command).toContain(`curl -s ${app.gatewayUrl}/system/mcp`);
    expect(command).toContain(key);

    await page().keyboard.press("Escape");
    await page().getByText("The key is gone once this is closed").waitFor();
    await button("I have copied it").click();
    await dialog().waitFor({ state: "detached" });
    await page().getByText("<img src=x onerror=alert(1)>", { exact: true }).waitFor();
    await page().reload();
    await page()
      .getByText(`swy_…${key.slice(-4)}`)
      .waitFor();
    expect(await page().content()).not.toContain(key);
    const [saved] = await listKeys();
    const days = (Date.parse(saved.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    expect(await findAccessibilityFaults(page())).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says how many tools rules leave, and the gateway leaves the same", async () => {
    await page().goto(`${path}?create=mcp:invoke`);
    await dialog().getByLabel("Name").fill("narrow");
    await dialog().getByRole("radio", { name: "Only some" }).check();
    await dialog().getByRole("button", { name: "Create key" }).click();
    await page().getByText("Add at least one server").waitFor();

    const entry = dialog().getByLabel("Server, tool or pattern");
    await entry.fill("slack_*");
    await entry.press("Enter");
    await page().getByText(`Leaves 3 of ${onDisk.providerTools.length} tools`).waitFor();
    await entry.fill("platform");
    await entry.press("Enter");
    await dialog().getByText("fits nothing").waitFor();
    await button("Remove the rule platform").click();
    await dialog().getByText("Choose from the catalogue").click();
    await dialog().getByLabel("Search servers and tools").fill("date and time");
    await dialog().getByRole("checkbox", { name: "Date and time" }).check();
    await page().getByText(`Leaves 4 of ${onDisk.providerTools.length} tools`).waitFor();
    await dialog().getByRole("button", { name: "Create key" }).click();

    const key = await keyField().inputValue();
    expect((await useKey(key)).tools).toEqual(["system_date_time"]);
    expect((await useKey(key, "slack")).tools).toHaveLength(3);
    expect((await useKey(key, "github")).tools).toEqual([]);
    expect((await listKeys())[0].toolRules).toEqual(["slack_*", "system_date_time"]);

    await button("I have copied it").click();
    await button("Edit narrow").click();
    await dialog().getByLabel("Name").fill("wide");
    await dialog().getByRole("radio", { name: "All tools" }).check();
    await button("Save").click();
    await page().getByText("wide", { exact: true }).waitFor();
    expect((await useKey(key, "github")).tools).not.toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("gives a key a new text in its place; the old one stops at once", async () => {
    const { key: before } = await createKey({ name: "laptop" });
    await page().goto(path);
    await page().getByText("Never used").waitFor();
    await button("Regenerate laptop").click();
    expect(await useKey(before)).toMatchObject({ status: 200 });
    await button("Regenerate key").click();
    const after = await keyField().inputValue();
    expect(after).not.toBe(before);
    expect(await useKey(before)).toMatchObject({ status: 401 });
    expect(await useKey(after)).toMatchObject({ status: 200 });
    await button("I have copied it").click();
    await page().getByText("· Regenerated").waitFor();
    await eventually(async () => (await listKeys())[0].lastUsedAt).not.toBeNull();
    await page().reload();
    await page().getByText("Last used").waitFor();
    expect(await listKeys()).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });

  it("deletes a key only after a question, and the key stops", async () => {
    const { key } = await createKey({ name: "old" });
    await page().goto(path);
    await button("Delete old").click();
    await button("Cancel").click();
    expect(await useKey(key)).toMatchObject({ status: 200 });
    await button("Delete old").click();
    await button("Delete key").click();
    await page().getByText("No keys yet").waitFor();
    expect(await useKey(key)).toMatchObject({ status: 401 });
    expect(opened.complaints).toEqual([]);
  });

  it("chooses the account that calls of one key use", async () => {
    const { id } = await createKey({ name: "bot" });
    const data = { kind: "bearer", accessToken: "x" };
    const account = await app.parts.vault.credentials.create(ann.organizationId, {
      type: "github",
      name: "Work",
      data,
      createdBy: null,
    });
    await page().goto(path);
    await button("Accounts of bot").click();
    await dialog().getByLabel("GitHub").selectOption("Work");
    const defaults = async () =>
      (await ann.browser.get(`/api/organizations/${ann.organizationId}/default-credentials`)).body.data;
    await eventually(defaults).toMatchObject([{ type: "github", credentialId: account.id, apiKeyId: id }]);
    await dialog().getByLabel("GitHub").selectOption("None: calls name one");
    await eventually(defaults).toEqual([]);
    expect(await findAccessibilityFaults(page())).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("shows a viewer no key and no button, and the API refuses too", async () => {
    await createKey({ name: "secret project" });
    const vera = await signUpMember(app, ann.organizationId, "Vera", "viewer");
    opened = await browser.open({
      baseUrl: app.platformUrl,
      person: vera.browser,
      viewport: { width: 390, height: 844 },
    });
    await page().goto(`${path}?create=key`);
    await page().getByText("Ask Ann for a key").waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await button("Create key").count()).toBe(0);
    expect(await page().content()).not.toContain("secret project");
    const api = `/api/organizations/${ann.organizationId}/api-keys`;
    expect((await vera.browser.get(api)).status).toBe(403);
    expect((await vera.browser.post(api, { name: "x", scopes: ["mcp:invoke"] })).status).toBe(403);
    expect(await sidewaysScrolling(page())).toBe(0);
    expect(await findAccessibilityFaults(page())).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
