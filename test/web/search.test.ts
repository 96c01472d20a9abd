import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let refund: string;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
  const nodes = [node("start", "start"), node("tell", "set_fields", { fields: {} }, { name: "Tell the customer" })];
  refund = await flows.save(nodes, edges("start>tell"), "Refund overdue orders");
  await flows.save(nodes, edges(), "Answer a mail");
});
afterAll(() => flows?.stop());

const home = () => `/o/${flows.owner.organizationId}`;

async function openAs(email: string, { path = "", viewport = { width: 1280, height: 800 } } = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, viewport }));
  await page.goto(home() + path);
  await page.getByRole("main").waitFor();
}

const dialog = () => page.getByRole("dialog", { name: "Search everywhere" });
const field = () => dialog().getByRole("combobox");
const hit = (name: string | RegExp) => dialog().getByRole("option", { name });
const group = (name: string) => dialog().getByRole("group", { name });
async function search(text: string): Promise<void> {
  if (!(await dialog().isVisible())) await page.keyboard.press("Control+k");
  await field().fill(text);
}

describe("Ctrl+K", () => {
  it("finds a workflow by a few letters, opens it with Enter, and knows it next time without a text", async () => {
    await openAs(flows.owner.email);
    await search("overd");
    await group("Workflows").getByRole("option", { name: "Refund overdue orders" }).waitFor();
    expect(
      await hit(/Refund/)
        .locator("b")
        .allTextContents(),
    ).toEqual(["overd"]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/workflows/${refund}`);
    expect(await dialog().count()).toBe(0);
    await page.keyboard.press("Control+k");
    await group("Last used").getByRole("option", { name: "Refund overdue orders" }).waitFor();
    await group("Do").getByRole("option", { name: "New workflow" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await dialog().count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("finds nodes of the open workflow, and opens the panel of one by mouse", async () => {
    await openAs(flows.owner.email, { path: `/workflows/${refund}` });
    await page.getByRole("button", { name: "Search everywhere" }).click();
    await field().fill("tell");
    await group("In this workflow").getByRole("option", { name: "Tell the customer" }).click();
    await page.waitForURL("**node=tell");
    expect(complaints).toEqual([]);
  });

  it("keeps the run that is shown, and selects the node that is open already once more", async () => {
    const run = await flows.run(refund);
    await openAs(flows.owner.email, { path: `/workflows/${refund}?run=${run.id}&node=tell` });
    const selected = () => page.locator(".react-flow__node.selected").getAttribute("data-id");
    await eventually(selected).toBe("tell");
    await page.getByRole("application", { name: "Canvas" }).focus();
    await page.keyboard.press("Control+a");
    await eventually(() => page.locator(".react-flow__node.selected").count()).toBe(2);
    await search("tell");
    await group("In this workflow").getByRole("option", { name: "Tell the customer" }).click();
    await eventually(() => page.locator(".react-flow__node.selected").count()).toBe(1);
    expect(await selected()).toBe("tell");
    expect(new URL(page.url()).searchParams.get("run")).toBe(run.id);
    expect(complaints).toEqual([]);
  });

  it("finds pages by other words, tools, and runs by their id", async () => {
    const run = await flows.run(refund);
    await openAs(flows.owner.email);
    await search("cron");
    await group("Pages").getByRole("option", { name: "Triggers" }).waitFor();
    await search("create issue");
    await group("MCP servers and tools")
      .getByRole("option", { name: /^github_create_issue / })
      .waitFor();
    await search(run.id);
    await group("Runs")
      .getByRole("option", { name: /Refund overdue orders/ })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/runs/${run.id}`);
    expect(complaints).toEqual([]);
  });

  it("chooses with the arrows, narrows with Tab, and does what is asked for", async () => {
    await openAs(flows.owner.email);
    await search("new");
    await page.keyboard.press("ArrowDown");
    expect(await dialog().getByRole("option", { selected: true }).count()).toBe(1);
    await field().fill("> turn");
    await hit("Turn dark").waitFor();
    expect(await dialog().getByRole("group").count()).toBe(1);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await search("key");
    await hit("New API key").waitFor();
    await page.keyboard.press("Tab");
    await dialog().getByText("Only pages.").waitFor();
    expect(await dialog().getByRole("group").count()).toBe(1);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Show everything" }).click();
    await hit("New API key").click();
    await page.getByRole("dialog", { name: /API key/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))");
    expect(await dialog().count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("says so where there is nothing, also from within a field, and offers a viewer nothing to build", async () => {
    await openAs("vera@example.com", { path: "/workflows" });
    await page.getByRole("searchbox").first().focus();
    await search("> new");
    await dialog().getByText("Nothing for “new”.").waitFor();
    await page.keyboard.press("Escape");
    expect(complaints).toEqual([]);
  });

  it("is the whole screen where that is narrow", async () => {
    await openAs(flows.owner.email, { viewport: { width: 390, height: 780 } });
    await page.getByRole("button", { name: "Search everywhere" }).click();
    await dialog().getByRole("button", { name: "Close" }).click();
    expect(await dialog().count()).toBe(0);
    await page.getByRole("button", { name: "Search everywhere" }).click();
    await field().fill("refund");
    await hit(/Refund overdue/).waitFor();
    const size = await dialog().boundingBox();
    expect([size?.x, size?.y, size?.width, size?.height]).toEqual([0, 0, 390, 780]);
    expect([await sidewaysScrolling(page), await findAccessibilityFaults(page)]).toEqual([0, []]);
    await hit(/Refund overdue/).click();
    await page.waitForURL(`**/workflows/${refund}`);
  });
});
