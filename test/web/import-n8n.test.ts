import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn } from "../support/people.ts";
import { startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
const sample = (name: string) => join(import.meta.dirname, `../workflows/n8n/${name}.json`);
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());
beforeEach(() => openPage());

async function openPage(options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, flows.owner.email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, isExpected, ...options }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows?create=file`);
}

// The browser itself reports the refusal of a faulty file.
const isExpected = (message: ConsoleMessage) =>
  message.location().url.endsWith("/import/n8n") && message.text().includes("400");

const dialog = () => page.getByRole("dialog");
const total = async () => (await flows.owner.browser.get(`${flows.path}/workflows`)).body.total as number;

describe("the import of a file of n8n", () => {
  it("shows what becomes of each node before anything is saved, then makes a draft that is off", async () => {
    const before = await total();
    await dialog().getByLabel("Workflow file").setInputFiles(sample("assistant"));
    await dialog().getByRole("heading", { name: "Missing (4)" }).waitFor();
    await dialog().getByRole("heading", { name: "Changed: look at these (3)" }).waitFor();
    await dialog().getByText("No JavaScript or Python runs here.").waitFor();
    await dialog().getByText("Prepare: expression is required.").waitFor();
    expect(await total()).toBe(before);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Choose another file" }).click();
    await dialog().getByLabel("Workflow file").setInputFiles(sample("orders"));
    await dialog().getByRole("heading", { name: "Taken over (3)" }).waitFor();
    await dialog().getByLabel("Name", { exact: true }).fill("Alerts");
    await dialog().getByRole("button", { name: "Save as a draft" }).click();
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}$/);
    await page.getByRole("application", { name: "Canvas" }).waitFor();
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows?search=Alerts`);
    expect(body.data).toMatchObject([{ name: "Alerts", version: 0, isActive: false, nodeCount: 7 }]);
    expect(complaints).toEqual([]);
  });

  it("takes what was pasted, by keyboard, and says in words what is wrong with it", async () => {
    await dialog().getByLabel("Or paste it").focus();
    await page.keyboard.insertText('{"nodes": [{"type": "x"}]}');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog().getByText("This is no workflow of n8n that can be read: nodes/0/name is required.").waitFor();
    await dialog().getByLabel("Or paste it").fill("not json");
    await dialog().getByRole("button", { name: "Read it" }).click();
    await dialog().getByText("What you pasted is not a workflow file.").waitFor();
    await dialog()
      .getByLabel("Or paste it")
      .fill(readFileSync(sample("newsletter"), "utf8"));
    await dialog().getByRole("button", { name: "Read it" }).click();
    await dialog().getByText("Add a schedule: every day at 07:30.").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)("fits a telephone in %s", async (colorScheme) => {
    await openPage({ colorScheme, viewport: { width: 390, height: 844 } });
    await dialog().getByLabel("Workflow file").setInputFiles(sample("numbers"));
    await dialog().getByRole("button", { name: "Save as a draft" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
