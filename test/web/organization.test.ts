import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Usage } from "../../src/usage/wire.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/triggers/webhook-receiver.ts";

const browser = launchBrowser();
let mcp: McpApp;
let receiver: WebhookReceiver;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  mcp = await startMcpApp({
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "2" },
  });
  await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await mcp?.stop();
  await receiver?.stop();
});
beforeEach(() => openAs(mcp.owner.email));

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(mcp.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: mcp.app.platformUrl, person, isExpected, ...options }));
}

// The browser itself reports the statuses by which a form learns what is wrong with it.
const isExpected = (message: ConsoleMessage) =>
  /\/event-endpoints/.test(message.location().url) && /400/.test(message.text());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const api = (rest = "", organizationId = mcp.owner.organizationId) => `/api/organizations/${organizationId}${rest}`;
const open = (rest = "", organizationId = mcp.owner.organizationId) =>
  page.goto(`/o/${organizationId}/organization${rest}`);
/** Calls that take long, until the page leaves them. */
const beginCalls = (count: number) => `
  const leave = new AbortController();
  globalThis.stopCalls = () => leave.abort();
  for (let call = 0; call < ${count}; call++)
    fetch("${api("/tools/system_wait/call")}", {
      method: "POST",
      signal: leave.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ parameters: { seconds: 60 } }),
    }).catch(() => {});
  // Otherwise the calls would be waited for.
  undefined;`;

async function startRun(name: string, nodeId: string, parameters: object): Promise<void> {
  const nodes = [{ id: "a", nodeId, parameters }];
  const { body } = await mcp.owner.browser.post(api("/workflows"), { name, canvas: { nodes, edges: [] } });
  const { status, body: run } = await mcp.owner.browser.post(api(`/workflows/${body.id}/runs`), {});
  expect([status, run.code]).toEqual([202, undefined]);
  const read = async () => (await mcp.owner.browser.get(api(`/runs/${run.id}`))).body.status as string;
  await eventually(read).toMatch(/succeeded|failed/);
}

describe("the overview", () => {
  it("counts exactly the calls and runs that were made, everywhere alike", async () => {
    for (let count = 0; count < 3; count++)
      await mcp.client.legacy("system", "tools/call", { name: "system_date_time", arguments: {} });
    await mcp.client.legacy("system", "tools/call", {
      name: "system_transform_json",
      arguments: { expression: "$error('no')", data: {} },
    });
    await mcp.client.legacy("system", "tools/call", { name: "system_wait", arguments: { seconds: "soon" } });
    await startRun("Works <b>well</b>", "system_date_time", {});
    await startRun("Fails", "system_transform_json", { expression: "$error('no')", data: {} });
    const readUsage = async () => (await mcp.owner.browser.get(api("/usage?days=1"))).body as Usage;
    const usage = await readUsage();
    const made = (await mcp.owner.browser.get(api("/tool-calls?limit=100"))).body.data.length as number;
    expect([usage.total.calls, usage.total.runs]).toEqual([made, 2]);

    await open("?days=1");
    await heading(`${made} tool calls`).waitFor();
    await heading("2 runs").waitFor();
    const rowsOf = (name: string) =>
      page
        .getByRole("region", { name: `Table of ${name}` })
        .locator("tbody tr")
        .allInnerTexts();
    const cells = async (name: string) =>
      (await rowsOf(name)).map((row) => row.split(/\s*\t\s*/).map((cell) => cell.trim()));
    const tools = await cells("tools");
    expect(tools.map(([tool, calls]) => [tool, Number(calls)])).toEqual(
      usage.byTool.map(({ tool, calls }) => [tool, calls]),
    );
    expect(tools.reduce((sum, [, calls]) => sum + Number(calls), 0)).toBe(made);
    expect((await cells("keys")).reduce((sum, [, calls]) => sum + Number(calls), 0)).toBe(made);
    expect((await cells("workflows")).toSorted()).toEqual([
      ["Fails", "1", "100 %"],
      ["Works <b>well</b>", "1", "0 %"],
    ]);

    await page.getByText("Show as a table").first().click();
    const table = page.getByRole("region", { name: "Tool calls as a table" });
    const numbers = (await table.locator("tbody td").allInnerTexts()).map(Number);
    expect(numbers.reduce((sum, count) => sum + count, 0)).toBe(made);
    const chart = page.getByRole("slider", { name: "Tool calls over time" });
    await chart.focus();
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/succeeded/);
    await page.keyboard.press("ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: none$/);
    await page.getByRole("link", { name: "system_date_time" }).click();
    await heading("History").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows live what is under way and who waits", async () => {
    await open();
    await page.getByText("0 of 2 slots in use").waitFor();
    await page.evaluate(beginCalls(3));
    await page.getByText("2 of 2 slots in use").waitFor();
    await page.getByText(/1 waiting, the first for/).waitFor();
    await eventually(() => page.getByRole("meter").getAttribute("aria-valuenow")).toBe("2");
    await page.evaluate("stopCalls()");
    await page.getByText("0 of 2 slots in use").waitFor();
    await page.getByText("Nobody waits.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("teaches what to do in an organization where nothing happened", async () => {
    const { body } = await mcp.owner.browser.post("/api/organizations", { name: "Quiet" });
    await open("", body.id);
    await heading("Nothing happened in this period").waitFor();
    await page.getByRole("link", { name: "run a workflow" }).waitFor();
    await page.getByRole("link", { name: "30 days" }).click();
    await page.waitForURL(/days=30/);
    expect(complaints).toEqual([]);
  });
});

describe("settings", () => {
  it("rename the organization everywhere, as text", async () => {
    await open("?tab=settings");
    await page.getByLabel("Name of the organization").fill("<img src=x onerror=alert(1)> Team");
    await button("Rename").click();
    await page.getByText("The organization is renamed.").waitFor();
    await page.getByRole("button", { name: "Organization: <img src=x onerror=alert(1)> Team" }).waitFor();
    await page.getByText("2 runs and calls may be under way at the same time").waitFor();
    expect(complaints).toEqual([]);
  });

  it("are read by viewers, who find no button that changes anything, and whom the API refuses", async () => {
    await openAs("vera@example.com");
    for (const rest of ["", "?tab=settings", "?tab=events", "?tab=danger"]) {
      await open(rest);
      await heading("Usage and settings").waitFor();
      await page.getByRole("link", { name: "Danger zone" }).waitFor();
      for (const name of ["Rename", "New endpoint", "Delete this organization"])
        expect(await button(name).count()).toBe(0);
    }
    expect(await page.getByRole("link", { name: "Events", exact: true }).count()).toBe(0);
    const vera = (await signIn(mcp.app, "vera@example.com")).browser;
    const answers = [
      await vera.patch(api(), { name: "x" }),
      await vera.delete(api()),
      await vera.get(api("/event-endpoints")),
      await vera.post(api("/event-endpoints"), { url: "https://example.com", types: ["run.failed"] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(complaints).toEqual([]);
  });
});

describe("event endpoints", () => {
  it("are created with a secret that is shown once, tested, sent to again and deleted", async () => {
    await open("?tab=events");
    await heading("Nobody is told yet").waitFor();
    await button("New endpoint").click();
    await dialog().getByLabel("Address").fill("http://10.0.0.1/hook");
    await button("Create endpoint").click();
    await dialog().getByText("Address must be https, unless the operator allows the address.").waitFor();
    const url = `${receiver.url}/pager`;
    await dialog().getByLabel("Address").fill(url);
    await button("Create endpoint").click();
    const secret = await dialog().getByLabel("Signing secret").inputValue();
    expect(secret).toMatch(/^whsec_/);
    await button("I have stored it").click();
    await page.getByText(url).waitFor();
    expect(await page.content()).not.toContain(secret);

    await button(`Send a test to ${url}`).click();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("Delivered", { exact: true }).waitFor();
    await receiver.waitFor("/pager", 1);
    await button("Send again").click();
    const [first, second] = await receiver.waitFor("/pager", 2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);

    await button(`New secret for ${url}`).click();
    await dialog().getByRole("button", { name: "New secret" }).click();
    expect(await dialog().getByLabel("Signing secret").inputValue()).not.toBe(secret);
    await button("I have stored it").click();
    await button(`Switch off ${url}`).click();
    await button(`Switch on ${url}`).waitFor();
    await button(`Delete ${url}`).click();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await heading("Nobody is told yet").waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the danger zone", () => {
  it("deletes the organization only after its name was typed in", async () => {
    const { body } = await mcp.owner.browser.post("/api/organizations", { name: "Short lived" });
    await open("?tab=danger", body.id);
    await button("Delete this organization").click();
    expect(await button("Delete for ever").isDisabled()).toBe(true);
    await dialog().getByLabel("Type Short lived to confirm").fill("Short lived");
    await button("Delete for ever").click();
    await page.waitForURL((url) => !url.pathname.includes(body.id));
    expect((await mcp.owner.browser.get(api("", body.id))).status).toBe(404);
    expect(complaints).toEqual([]);
  });
});

describe("every part", () => {
  const parts = [
    ["?days=1", "system_date_time"],
    ["?tab=settings", "Rename"],
    ["?tab=events", "Send a test"],
    ["?tab=danger", "Leave"],
  ] as const;

  it.each(parts)(
    "fits a telephone and has no serious finding of axe, in light and dark, at %s",
    async (rest, landmark) => {
      await mcp.owner.browser.post(api("/event-endpoints"), { url: `${receiver.url}/axe`, types: ["run.failed"] });
      await openAs(mcp.owner.email, { viewport: { width: 390, height: 844 } });
      await open(rest);
      await page.getByRole("main").getByText(landmark).first().waitFor();
      expect(await sidewaysScrolling(page)).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findAccessibilityFaults(page)).toEqual([]);
      }
      expect(complaints).toEqual([]);
    },
  );
});
