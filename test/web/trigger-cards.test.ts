import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";

type Made = { id: string; webhookUrl: string; signingSecret: string };

const browser = launchBrowser();
let flows: WorkflowApp;
let workflowId: string;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
  const nodes = [node("look", "set_fields", { fields: { x: "1" } }), node("then", "transform", { expression: "1" })];
  workflowId = await flows.save(nodes, edges("look>then"), "Answer a mail");
});
afterAll(() => flows?.stop());
beforeEach(async () => {
  await flows.app.database.query("DELETE FROM trigger");
});

async function open(rest = "", options: BrowserContextOptions & { email?: string } = {}) {
  const { email = flows.owner.email, ...others } = options;
  const { browser: person } = await signIn(flows.app, email);
  const place = { timezoneId: "Europe/Berlin", locale: "en-GB", viewport: { width: 1280, height: 800 } };
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, ...place, ...others }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}${rest}`);
}

async function create(request: object): Promise<Made> {
  const { status, body } = await flows.owner.browser.post(`${flows.path}/triggers`, { workflowId, ...request });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as Made;
}

const deliver = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

const card = (name: string | RegExp) => page.getByRole("application").getByRole("button", { name });
const panel = (name: string) => page.getByRole("region", { name: `Trigger ${name}` });

const sizes: [string, BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];

describe("triggers on the canvas", () => {
  it("stand before the first nodes, with their state, and are opened by mouse and by keyboard", async () => {
    const { webhookUrl } = await create({ kind: "webhook", name: "Shop form", signature: "none" });
    await create({ kind: "schedule", name: "Morning", cron: "0 9 * * *", timeZone: "UTC", active: false });
    await deliver(webhookUrl, "{}");
    await flows.run(workflowId);
    await open();
    await card(/^Trigger Shop form\s+Webhook · on · 1 today$/).waitFor();
    await card(/^Trigger Morning\s+Every day at 09:00 · off$/).waitFor();
    await card(/^Trigger Called by key\s+API · on · 1 today$/).waitFor();
    const first = await page
      .getByRole("application")
      .getByRole("group", { name: /Set fields/ })
      .boundingBox();
    const before = await card(/Shop form/).boundingBox();
    expect((before?.x ?? 0) + (before?.width ?? 0)).toBeLessThan(first?.x ?? 0);
    // Beside the navigation, as a whole.
    expect(before?.x ?? 0).toBeGreaterThan(248);

    await card(/Shop form/).click();
    await panel("Shop form").getByRole("switch").waitFor();
    await page.keyboard.press("Escape");
    await panel("Shop form").waitFor({ state: "detached" });

    await page.getByRole("application").focus();
    await page.keyboard.press("Tab");
    await eventually(() => page.evaluate("document.activeElement.textContent")).toMatch(/^Trigger /);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: /^Trigger / }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("are added, changed and turned off there, and the canvas keeps nothing of them", async () => {
    await open();
    await page.getByRole("button", { name: "Add trigger" }).click();
    await page.getByRole("menuitem", { name: "Schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Repeat").selectOption("Every few minutes");
    await dialog.getByLabel("Minutes between").selectOption("5");
    await eventually(() => dialog.getByRole("region", { name: "Next five times" }).getByRole("listitem").count()).toBe(
      5,
    );
    await dialog.getByRole("button", { name: "Create" }).click();
    await card(/^Trigger Every 5 minutes\s+Schedule · on$/).click();
    await panel("Every 5 minutes").getByLabel("Minutes between").selectOption("15");
    await panel("Every 5 minutes").getByRole("button", { name: "Save" }).click();
    await card(/^Trigger Every 5 minutes\s+Every 15 minutes · on$/).waitFor();
    await panel("Every 5 minutes").getByRole("switch").click();
    await card(/^Trigger Every 5 minutes\s+Every 15 minutes · off$/).waitFor();
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}`);
    expect(body.canvas.nodes.map(({ id }: { id: string }) => id)).toEqual(["look", "then"]);
    expect(body.draft).toBe(null);
    expect(complaints).toEqual([]);
  });

  it("can be read by a viewer, who changes and tests nothing", async () => {
    const { id } = await create({ kind: "webhook", name: "Shop form", signature: "none" });
    await open(`?panel=trigger-${id}`, { email: "vera@example.com" });
    await panel("Shop form").getByRole("tab", { name: "Deliveries" }).waitFor();
    expect(await panel("Shop form").getByRole("tab").count()).toBe(1);
    expect(await panel("Shop form").getByRole("switch").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Add trigger" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("a webhook beside the canvas", () => {
  it.each(sizes)("listens for one event, shows it and offers to run with it (%s)", async (_, options) => {
    const { id, webhookUrl } = await create({ kind: "webhook", name: "Shop form", signature: "none", active: false });
    await open(`?panel=trigger-${id}`, options);
    await panel("Shop form").getByRole("tab", { name: "Test event" }).click();
    await panel("Shop form").getByRole("button", { name: "Listen for a test event" }).click();
    await panel("Shop form").getByText("Listening for one event").waitFor();
    await panel("Shop form")
      .getByText(/^[12]:\d\d left$/)
      .waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect((await deliver(webhookUrl, '{"orderId":"NW-20417"}')).status).toBe(200);
    const delivery = panel("Shop form").getByRole("region", { name: "Delivery" });
    await delivery.getByText("NW-20417").waitFor();
    await delivery.getByText("It is only shown to who listens. This trigger is turned off.").waitFor();
    await page.getByRole("status").filter({ hasText: "One event arrived" }).waitFor({ state: "attached" });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    await delivery.getByRole("button", { name: "Run with this event" }).click();
    expect(await page.getByRole("dialog").getByLabel("Payload, as JSON").inputValue()).toContain('"NW-20417"');
    expect(complaints).toEqual([]);
  });

  it("says on its card that it listens, by keyboard, until somebody stops it", async () => {
    await create({ kind: "webhook", name: "Shop form", signature: "none" });
    await open();
    await card(/Shop form/).focus();
    await page.keyboard.press("Enter");
    await panel("Shop form").getByRole("tab", { name: "Form" }).focus();
    await page.keyboard.press("ArrowRight");
    await panel("Shop form").getByRole("button", { name: "Listen for a test event" }).focus();
    await page.keyboard.press("Enter");
    await card(/Shop form/)
      .getByText(/^Listening · [12]:\d\d left$/)
      .waitFor();
    await panel("Shop form").getByRole("button", { name: "Stop listening" }).focus();
    await page.keyboard.press("Enter");
    await panel("Shop form").getByRole("button", { name: "Listen for a test event" }).waitFor();
    await card(/Shop form/)
      .getByText(/^Webhook · on/)
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows its address while it is signed, and lists what arrived as it comes, refused or not", async () => {
    const made = await create({ kind: "webhook", name: "Shop form", signature: "standard" });
    await open(`?panel=trigger-${made.id}`);
    await panel("Shop form").getByRole("tab", { name: "Test event" }).click();
    expect(await panel("Shop form").getByLabel("Address", { exact: true }).inputValue()).toBe(made.webhookUrl);
    expect(await page.content()).not.toContain(made.signingSecret);
    await panel("Shop form").getByRole("tab", { name: "Deliveries" }).click();
    await panel("Shop form").getByText("Nothing has arrived yet.").waitFor();
    await deliver(made.webhookUrl, '{"a":1}');
    await deliver(made.webhookUrl, '{"b":2}', signStandard(made.signingSecret, '{"b":2}', { id: "1" }));
    const rows = panel("Shop form").getByRole("list", { name: "Deliveries" }).getByRole("listitem");
    await eventually(() => rows.count()).toBe(2);
    await rows.filter({ hasText: "not kept" }).getByRole("button").click();
    await panel("Shop form")
      .getByText(/^The delivery is refused: .* Answered with 401\.$/)
      .waitFor();
    await panel("Shop form").getByText("What it brought is not kept, because it was refused.").waitFor();
    await panel("Shop form").getByRole("button", { name: "Refused", exact: true }).click();
    await eventually(() => rows.count()).toBe(1);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is tested with a body that somebody writes, and says what is wrong with it", async () => {
    const { id } = await create({ kind: "webhook", name: "Shop form", signature: "none" });
    await open(`?panel=trigger-${id}`);
    await panel("Shop form").getByRole("tab", { name: "Test event" }).click();
    const body = panel("Shop form").getByLabel("Send a test body, as JSON");
    await body.fill("{order: 5}");
    await panel("Shop form").getByRole("button", { name: "Test", exact: true }).click();
    await panel("Shop form")
      .getByText(/^This is not JSON/)
      .waitFor();
    await body.fill('{"order": 5}');
    await panel("Shop form").getByRole("button", { name: "Test", exact: true }).click();
    const run = await panel("Shop form").getByRole("link", { name: "Open the run" }).getAttribute("href");
    expect(await flows.ended(run?.split("/").at(-1) ?? "")).toMatchObject({ trigger: { payload: { order: 5 } } });
    expect(complaints).toEqual([]);
  });
});
