import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type OpenPage, type PageOptions, sidewaysScrolling } from "../support/browser/open-page.ts";
import { freePort } from "../support/free-port.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp } from "../support/test-app.ts";

const image = '<img src="x" onerror="alert(1)">';
const script = "<script>alert(2)</script>";
const browser = launchBrowser();
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let environment: Record<string, string>;
let provider: FakeProvider;
let mcp: McpApp;
let vera: Awaited<ReturnType<typeof signUpMember>>;
let stopApp: () => Promise<void>;

beforeAll(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), startFakeProvider()]);
  const [platformPort, gatewayPort] = [await freePort(), await freePort()];
  environment = {
    PLATFORM_API_PORT: String(platformPort),
    MCP_API_PORT: String(gatewayPort),
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  mcp = await startMcpApp({ database, environment });
  stopApp = mcp.stop;
  vera = await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
  const data = { kind: "bearer", accessToken: "ghp_never-shown", baseUrl: provider.url };
  const { organizationId } = mcp.owner;
  const { id } = await mcp.app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
  await mcp.app.parts.vault.defaults.set({ organizationId, apiKeyId: null, type: "github" }, id);
});
afterAll(async () => {
  await stopApp?.();
  await provider?.stop();
  await database?.drop();
});

const followsEvents = ({ page }: OpenPage) =>
  page.waitForResponse((response) => response.url().endsWith("/events") && response.ok(), { timeout: 30_000 });

async function open(path: string, { person = mcp.owner.browser, ...options }: Partial<PageOptions> = {}) {
  const one = await browser.open({ baseUrl: mcp.app.platformUrl, person, ...options });
  const live = followsEvents(one);
  await one.page.goto(`/o/${mcp.owner.organizationId}/history${path}`);
  await live;
  return one;
}

const wait = (seconds: number) =>
  mcp.client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds } });

async function createIssue(title: string, answer: { status: number; json: unknown }) {
  provider.script([answer]);
  await mcp.client.modern("github", "tools/call", {
    name: "github_create_issue",
    arguments: { owner: "acme", repo: "site", title },
  });
}

describe("the list of tool calls", () => {
  it("teaches at first, then shows a call in a second browser within a second of its end, also after a restart of the server", async () => {
    const one = await open("?tab=tools");
    const other = await open("?tab=tools", { person: vera.browser });
    const rows = other.page.getByRole("row", { name: /system_wait.*Succeeded.*Key test/ });
    await other.page.getByRole("heading", { name: "No tool has been called yet" }).waitFor();
    await wait(0.01);
    await rows.first().waitFor({ timeout: 1_000 });
    await one.page.getByRole("row", { name: /system_wait.*Succeeded/ }).waitFor({ timeout: 1_000 });

    const isBack = followsEvents(other);
    await stopApp();
    const again = await startTestApp({ database, environment });
    stopApp = again.stop;
    await wait(0.02);
    await isBack;
    await expect.poll(() => rows.count(), { timeout: 1_000, interval: 20 }).toBe(2);
    await wait(0.03);
    await expect.poll(() => rows.count(), { timeout: 1_000, interval: 20 }).toBe(3);
    expect(
      other.complaints.filter((text) => !/ERR_(CONNECTION_REFUSED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED)/.test(text)),
    ).toEqual([]);
  });

  it("keeps its filters over a reload, shows only what fits them, also live, and forgets them when asked", async () => {
    await createIssue("Anything", { status: 422, json: { message: "No" } });
    const { page, complaints } = await open("?tab=tools");
    await page.getByRole("row", { name: /github_create_issue.*Failed/ }).waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Status").selectOption({ label: "Failed" });
    await page.getByLabel("API key").selectOption({ label: "test" });
    const rows = page.locator("tbody tr");
    await eventually(() => rows.count()).toBe(1);
    await page.reload();
    await page.getByRole("button", { name: "Filters (2)" }).waitFor();
    await eventually(() => rows.count()).toBe(1);
    await wait(0.01);
    await createIssue("Another", { status: 422, json: { message: "No" } });
    await eventually(() => rows.count()).toBe(2);
    await page.getByRole("searchbox", { name: "Search tools, errors and parameters" }).fill("Anoth");
    await eventually(() => rows.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("search")).toBe("Anoth");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await eventually(() => rows.count()).toBeGreaterThan(4);
    expect(complaints).toEqual([]);
  });

  it("pages on to older calls", async () => {
    await database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner)
       SELECT $1, uuidv7(-(number * interval '1 minute') - interval '1 day'), 'mcp', 'slack', 'older_' || number, 'success', '{}', '{}', now(), now(), 0, 1, false, false, $1
       FROM generate_series(1, 120) AS number`,
      [mcp.owner.organizationId],
    );
    const { page } = await open("?tab=tools&server=slack");
    await page.getByRole("link", { name: "older_1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Load older" }).scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "older_60", exact: true }).waitFor();
    await page.getByRole("button", { name: "Load older" }).scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "older_120", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Load older" }).count()).toBe(0);
  });

  it("stays short and up to date while thousands of calls arrive", async () => {
    const { page, complaints } = await open("?tab=tools");
    await wait(0.01);
    await page.getByRole("table", { name: "Tool calls" }).waitFor();
    await database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner)
       SELECT $1, uuidv7(), 'mcp', 'slack', 'many_' || number, 'success', '{}', '{}', now(), now(), 0, 1, false, false, $1
       FROM generate_series(1, 3000) AS number`,
      [mcp.owner.organizationId],
    );
    await page.getByRole("link", { name: "many_3000" }).waitFor({ timeout: 15_000 });
    await eventually(() => page.locator("tbody tr").count()).toBeLessThan(400);
    await page.getByRole("link", { name: "many_3000" }).click();
    await page.getByRole("region", { name: "Tool call" }).getByRole("heading", { name: "many_3000" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("one tool call", () => {
  it("shows its trace on one line, to copy", async () => {
    await wait(0.01);
    const { body } = await mcp.owner.browser.get(`/api/organizations/${mcp.owner.organizationId}/tool-calls?limit=1`);
    const { page, complaints } = await open(`?tab=tools&record=${body.data[0].id}`);
    const detail = page.getByRole("region", { name: "Tool call" });
    await detail.getByRole("button", { name: "Copy the trace id" }).click();
    await detail.getByText("Copied").waitFor({ state: "attached" });
    expect(await page.evaluate("String(getSelection())")).toBe(body.data[0].traceId);
    expect(complaints).toEqual([]);
  });

  it("that only reads is replayed at once, and the new record leads to the old one", async () => {
    await wait(0.01);
    const { page, complaints } = await open("?tab=tools&tool=system_wait");
    await page.getByRole("link", { name: "system_wait" }).first().click();
    const detail = page.getByRole("region", { name: "Tool call" });
    await detail.getByText("Key test").waitFor();
    const before = page.url();
    await detail.getByRole("button", { name: "Replay" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Parameters").fill('{"seconds": ');
    await dialog.getByText("This is not JSON").waitFor();
    await dialog.getByLabel("Parameters").fill('{"seconds": 0.05}');
    await dialog.getByRole("button", { name: "Replay" }).click();
    await detail.getByRole("link", { name: "an earlier call" }).waitFor();
    await detail.getByText("Ann", { exact: true }).waitFor();
    expect(page.url()).not.toBe(before);
    await page.keyboard.press("Escape");
    await eventually(() => detail.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("that may change something is replayed only after a confirmation", async () => {
    await createIssue("First", { status: 201, json: { number: 7 } });
    provider.script([{ status: 201, json: { number: 8 } }]);
    const { page } = await open("?tab=tools&tool=github_create_issue&status=success");
    await page.getByRole("link", { name: "github_create_issue" }).first().click();
    await page.getByRole("button", { name: "Replay" }).click();
    const dialog = page.getByRole("dialog");
    const replay = dialog.getByRole("button", { name: "Replay" });
    expect(await replay.isDisabled()).toBe(true);
    expect(provider.requests()).toEqual([]);
    await dialog.getByRole("checkbox").check();
    await replay.click();
    await page.getByRole("link", { name: "an earlier call" }).waitFor();
    expect(provider.requests()).toHaveLength(1);
  });

  it("tells how long it waited and ran, as the API does, to the millisecond on hover", async () => {
    await wait(0.05);
    const path = `/api/organizations/${mcp.owner.organizationId}/tool-calls`;
    const { id } = (await mcp.owner.browser.get(`${path}?tool=system_wait`)).body.data[0];
    await database.query("UPDATE tool_call SET queue_ms = 1234, duration_ms = 65432 WHERE id = $1", [id]);
    const { queueMs, durationMs } = (await mcp.owner.browser.get(`${path}/${id}`)).body;
    expect([queueMs, durationMs]).toEqual([1234, 65_432]);
    const { page, complaints } = await open(`?tab=tools&record=${id}`);
    const facts = page.getByRole("region", { name: "Tool call" }).locator("dl");
    const fact = (name: string) => facts.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
    await fact("Waited for a slot").getByText("1.2 s", { exact: true }).waitFor();
    await fact("Ran for").getByText("1 min 5 s", { exact: true }).waitFor();
    const titles = ["Waited for a slot", "Ran for"].map((name) => fact(name).locator("[title]").getAttribute("title"));
    expect(await Promise.all(titles)).toEqual([
      `${queueMs.toLocaleString("en-US")} ms`,
      `${durationMs.toLocaleString("en-US")} ms`,
    ]);
    expect(complaints).toEqual([]);
  });

  it("is copied as curl and as JSON with a placeholder for the key", async () => {
    const { page } = await open("?tab=tools&tool=system_wait");
    await page.getByRole("link", { name: "system_wait" }).first().click();
    await page.getByRole("button", { name: "Copy as curl or JSON" }).click();
    await page.getByRole("dialog").getByText("X-API-Key: <API_KEY>").waitFor();
    await page.getByRole("dialog").getByText('"method": "tools/call"').waitFor();
  });

  it("with HTML in its parameters and its error shows that as text", async () => {
    await createIssue(image, { status: 422, json: { message: `${script}${image}` } });
    const { page, complaints } = await open("?tab=tools&tool=github_create_issue&status=failed");
    await page.getByRole("link", { name: "github_create_issue" }).first().click();
    const detail = page.getByRole("region", { name: "Tool call" });
    await detail.getByText(image, { exact: false }).first().waitFor();
    await detail.getByText(script, { exact: false }).first().waitFor();
    expect(await page.locator("img[onerror], td script").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("gives a viewer nothing to act with, and the API refuses too", async () => {
    const { page } = await open("?tab=tools&tool=system_wait", { person: vera.browser });
    await page.getByRole("link", { name: "system_wait" }).first().click();
    await page.getByRole("button", { name: "Copy as curl or JSON" }).waitFor();
    expect(await page.getByRole("button", { name: "Replay" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Export" }).count()).toBe(0);
    const path = `/api/organizations/${mcp.owner.organizationId}/tool-calls`;
    const recordId = new URL(page.url()).searchParams.get("record");
    expect((await vera.browser.post(`${path}/${recordId}/replay`, {})).status).toBe(403);
    expect((await vera.browser.get(`${path}/export`)).status).toBe(403);
  });
});

describe("the page", () => {
  it("fits a telephone with list, filters and record, and hands out the filter as an export", async () => {
    const { page } = await open("?tab=tools", { viewport: { width: 390, height: 844 } });
    await page.getByRole("link", { name: "system_wait" }).first().waitFor();
    expect(await sidewaysScrolling(page)).toBe(0);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Tool", { exact: true }).selectOption("system_wait");
    expect(await sidewaysScrolling(page)).toBe(0);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as JSON lines" }).click();
    expect((await download).suggestedFilename()).toBe("tool-calls.jsonl");
    expect((await download).url()).toContain("tool=system_wait");
    await page.getByRole("link", { name: "system_wait" }).first().click();
    await page.getByRole("button", { name: "Back to the list" }).waitFor();
    expect(await page.getByRole("table", { name: "Tool calls" }).isVisible()).toBe(false);
    expect(await sidewaysScrolling(page)).toBe(0);
    await page.getByRole("button", { name: "Back to the list" }).click();
    await page.getByRole("table", { name: "Tool calls" }).waitFor();
  });

  it.each(["light", "dark"] as const)("has no serious accessibility fault in %s colours", async (colorScheme) => {
    const { page } = await open("?tab=tools&tool=github_create_issue", { colorScheme });
    await page.getByRole("link", { name: "github_create_issue" }).first().click();
    await page.getByRole("region", { name: "Parameters" }).waitFor();
    await page.getByRole("button", { name: "Filters (1)" }).click();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "No workflow has run yet" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });
});
