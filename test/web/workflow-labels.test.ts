import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
  const canvas = { nodes: [node("start", "start")], edges: edges() };
  const made = [
    { name: "Invoice", folder: "Sales/Invoices", tags: ["monthly"] },
    { name: "Offer", folder: "Sales" },
    { name: "Backup" },
    { name: "Unfinished", publish: false },
  ];
  for (const one of made) await flows.owner.browser.post(`${flows.path}/workflows`, { canvas, ...one });
});
afterAll(() => flows?.stop());

async function openAs(email: string, viewport = { width: 1280, height: 800 }): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, viewport }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows`);
  await page.getByRole("link", { name: "Offer" }).waitFor();
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const box = (name: string) => page.getByRole("checkbox", { name: `Choose “${name}”` });
const count = (words: string) => page.getByRole("status").filter({ hasText: words }).waitFor();
const read = async (name: string) => {
  const { data } = (await flows.owner.browser.get(`${flows.path}/workflows?search=${name}`)).body;
  return data[0] as { folder: string; tags: string[]; isActive: boolean };
};

describe("the list of workflows", () => {
  it("is narrowed to a folder with all inside it, and to a tag, which the address keeps", async () => {
    await openAs(flows.owner.email);
    await page.getByLabel("Folder").selectOption("Sales");
    await count("2 workflows found");
    await page.getByLabel("Tag").selectOption("monthly");
    await count("1 workflow found");
    expect(new URL(page.url()).search).toBe("?folder=Sales&tag=monthly");
    await page.reload();
    await count("1 workflow found");
    await page.getByLabel("Folder").selectOption("");
    await page.getByLabel("Tag").selectOption("");
    await count("4 workflows");
    await page.getByRole("link", { name: "monthly" }).click();
    await count("1 workflow found");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("lets several be chosen by keyboard and moved, tagged, turned off and deleted together", async () => {
    await openAs(flows.owner.email);
    for (const name of ["Invoice", "Backup"]) {
      await box(name).focus();
      await page.keyboard.press("Space");
    }
    await page.getByText("2 workflows chosen").waitFor();
    await button("Folder and tags").click();
    await page.getByRole("dialog").getByLabel("Folder").fill("Office");
    await page.getByRole("dialog").getByLabel("Tags").fill("shared, night");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await read("Invoice")).toMatchObject({ folder: "Office", tags: ["monthly", "night", "shared"] });
    expect(await read("Backup")).toMatchObject({ folder: "Office", tags: ["night", "shared"] });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Turn off").click();
    await expect.poll(async () => (await read("Backup")).isActive).toBe(false);
    await box("Invoice").uncheck();
    await page.getByText("1 workflow chosen").waitFor();
    await button("Delete").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await count("3 workflows");
    expect(complaints).toEqual([]);
  });

  it("says which could not be changed", async () => {
    await openAs(flows.owner.email);
    await box("Unfinished").check();
    await box("Offer").check();
    await button("Turn on").click();
    await page.getByText("The others are done. This could not be done:").waitFor();
    await page.getByText(/“Unfinished”: This workflow was never published/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("gives viewers nothing to choose, and fits a telephone", async () => {
    await openAs("vera@example.com", { width: 390, height: 844 });
    await page.getByLabel("Folder").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
