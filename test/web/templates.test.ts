import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
  await flows.app.parts.vault.credentials.create(flows.owner.organizationId, {
    type: "slack",
    name: "Team bot",
    data: { kind: "bearer", accessToken: "canary-token" },
    createdBy: null,
  });
});
afterAll(() => flows?.stop());
beforeEach(() => openAs(flows.owner.email));

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, ...options }));
}

const open = (rest = "") => page.goto(`/o/${flows.owner.organizationId}/workflows/templates${rest}`);
const card = (name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
const cards = () => page.getByRole("listitem").filter({ has: page.getByRole("heading") });
const count = (words: string) => page.getByRole("status").filter({ hasText: words }).waitFor();

type Saved = { name: string; version: number; isActive: boolean; id: string };
const saved = async () => (await flows.owner.browser.get(`${flows.path}/workflows`)).body.data as Saved[];

describe("the gallery of templates", () => {
  it("is searched by words and services, narrowed by service, and says what is connected", async () => {
    await open();
    await count("26 templates");
    expect(await cards().count()).toBe(26);
    await card("Webhook to Slack message").getByText("Its account is connected.").waitFor();
    await card("Lead to CRM").getByText("1 of 2 accounts connected.").waitFor();
    await card("First run").getByText("Runs as it is").waitFor();
    await card("Assistant on Telegram").getByText("Needs a language model").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const loaded = `[...document.querySelectorAll("li img")].every((icon) => icon.complete && icon.naturalWidth > 0)`;
    await eventually(() => page.evaluate(loaded)).toBe(true);
    await page.getByRole("searchbox", { name: "Search templates" }).fill("dunning");
    await count("2 templates");
    await page.getByRole("searchbox").fill("hubspot");
    await count("2 templates");
    await page.getByLabel("Service").selectOption("slack");
    await count("1 template");
    await eventually(() => new URL(page.url()).search).toBe("?search=hubspot&service=slack");
    await page.getByRole("searchbox").press("Home");
    await page.keyboard.type("my ", { delay: 20 });
    expect(await page.getByRole("searchbox").inputValue()).toBe("my hubspot");
    await page.getByRole("searchbox").fill("nothing has this");
    await page.getByRole("button", { name: "Show all" }).click();
    await count("26 templates");
    expect(complaints).toEqual([]);
  });

  it("shows the canvas and the accounts, and makes a draft with the only account, by keyboard", async () => {
    await open("?search=lead");
    await card("Lead to CRM").getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("application", { name: "Canvas of Lead to CRM" }).waitFor();
    await page.getByText("Slack: connected (Team bot)").waitFor();
    await page.getByRole("link", { name: "Connect HubSpot" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Use this template" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}$/);
    await page.getByRole("application", { name: "Canvas" }).waitFor();
    const [made] = await saved();
    expect(made).toMatchObject({ name: "Lead to CRM", version: 0, isActive: false });
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${made?.id}/draft`);
    const nodes = body.canvas.nodes as { id: string; credentials?: object }[];
    expect(nodes.find(({ id }) => id === "tell")?.credentials).toEqual({ slack: expect.any(String) });
    expect(nodes.find(({ id }) => id === "contact")?.credentials).toBeUndefined();
    await page.goBack();
    await page.getByRole("button", { name: "All templates" }).click();
    await count("1 template");
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)("fits a telephone in %s, and lets a viewer look only", async (colorScheme) => {
    await openAs("vera@example.com", { colorScheme, viewport: { width: 390, height: 844 } });
    await open();
    await count("26 templates");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    await card("Invoice reminder").getByRole("link").click();
    await page.getByRole("application", { name: "Canvas of Invoice reminder" }).waitFor();
    expect(await page.getByRole("button", { name: "Use this template" }).count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
