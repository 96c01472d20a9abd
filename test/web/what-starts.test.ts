import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, button, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(address: string, options: object = {}): Promise<void> {
  const person = flows.owner.browser;
  const viewport = { width: 1280, height: 800 };
  const baseUrl = flows.app.platformUrl;
  ({ page, complaints } = await browser.open({ baseUrl, person, viewport, reducedMotion: "reduce", ...options }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${address}`);
  await canvas().waitFor();
  await isStill();
}

const dialog = () => page.getByRole("dialog");
const question = () => page.getByRole("region", { name: "What starts it?" });
const say = (id: string, text: string) => node(id, "set_fields", { fields: { text } }, { name: id });

describe("an empty canvas", () => {
  it.each([
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
  ])("asks what starts it, and opens the trigger that is made (%s)", async (_, options) => {
    await open(await flows.save([]), options);
    expect(await question().getByRole("button").count()).toBe(8);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    await question().getByRole("button", { name: "Schedule", exact: true }).click();
    await dialog().getByRole("button", { name: "Create" }).click();
    await page.getByRole("region", { name: /^Trigger Every day/ }).waitFor();
    await canvas()
      .getByRole("button", { name: /^Trigger Every day/ })
      .waitFor();
    await page.getByText("What should happen then?").waitFor();
    await button("Add the first node").click();
    await page.getByRole("option", { name: /^Start / }).click();
    await box(/^Start/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("leads to an app's webhook and to how programs call it, by keyboard", async () => {
    await open(await flows.save([]));
    await question().getByRole("button", { name: "Event of an app", exact: true }).focus();
    await page.keyboard.press("Enter");
    expect(await dialog().getByLabel("Who delivers").inputValue()).toBe("slack");
    await page.keyboard.press("Escape");
    await question().getByRole("button", { name: "Called by key", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Call this workflow" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the list of nodes", () => {
  it("offers what starts a workflow, by other words too, and opens it", async () => {
    await open(await flows.save([say("first", "1")]));
    await canvas().focus();
    await page.keyboard.press("/");
    await page.getByRole("button", { name: "Trigger", exact: true }).click();
    await page.getByRole("option", { name: /^Webhook / }).waitFor();
    await page.getByRole("combobox", { name: "Search nodes" }).fill("cron");
    await page.getByRole("option", { name: /^Schedule Also: cron/ }).waitFor();
    await page.keyboard.press("Enter");
    await dialog().getByLabel("Repeat").waitFor();
    await dialog().getByRole("button", { name: "Create" }).click();
    await page.getByRole("region", { name: /^Trigger Every day/ }).waitFor();
    await page.keyboard.press("Escape");

    await canvas().focus();
    await page.keyboard.press("/");
    await page.keyboard.type("hook");
    await page.keyboard.press("Enter");
    await dialog().getByLabel("Who delivers").selectOption("none");
    await dialog().getByRole("button", { name: "Create" }).click();
    await dialog().getByRole("button", { name: "Close" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("an event that was listened for", () => {
  it("is pinned as trigger data, which steps and expressions use, seen, changed and unpinned", async () => {
    const workflowId = await flows.save(
      [say("first", "{{ $trigger.payload.orderId }}"), say("then", "2")],
      edges("first>then"),
    );
    const { body: trigger } = await flows.owner.browser.post(`${flows.path}/triggers`, {
      workflowId,
      kind: "webhook",
      name: "Shop form",
      signature: "none",
      active: false,
    });
    await open(`${workflowId}?panel=trigger-${trigger.id}`);
    await page.getByRole("tab", { name: "Test event" }).click();
    await button("Listen for a test event").click();
    await page.getByText("Listening for one event").waitFor();
    await fetch(trigger.webhookUrl, {
      method: "POST",
      body: '{"orderId":"NW-20417"}',
      headers: { "content-type": "application/json" },
    });
    const delivery = page.getByRole("region", { name: "Delivery" });
    await delivery.getByRole("button", { name: "Pin as trigger data" }).click();
    await delivery.getByText(/^Pinned\. /).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const mark = button("Pinned trigger data");
    await mark.waitFor();

    await canvas().focus();
    await box(/^first/).click();
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^Succeeded after /).waitFor();
    const runId = new URL(page.url()).searchParams.get("run");
    const { body: run } = await flows.owner.browser.get(`${flows.path}/runs/${runId}`);
    expect(run).toMatchObject({
      executionType: "step",
      trigger: { source: "webhook", payload: { orderId: "NW-20417" } },
    });
    expect(run.nodes[0].outputs).toMatchObject([{ text: "NW-20417" }]);

    await mark.focus();
    await page.keyboard.press("Enter");
    const data = dialog().getByLabel("Data (JSON)");
    expect(await data.inputValue()).toContain('"NW-20417"');
    await data.fill((await data.inputValue()).replace("NW-20417", "NW-1"));
    await dialog().getByRole("button", { name: "Pin", exact: true }).click();
    await dialog().waitFor({ state: "detached" });
    const { body: pin } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}/draft/pins/$trigger`);
    expect(pin.outputs.out[0].payload).toEqual({ orderId: "NW-1" });
    // The panel of the node leaves little room for what stands before it.
    await canvas().focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
    await isStill();
    await mark.click();
    await dialog().getByRole("button", { name: "Unpin" }).click();
    await mark.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});

describe("the runs of a workflow", () => {
  it("are listed in the editor as they come, and shown on the canvas when they are pressed", async () => {
    const workflowId = await flows.save(
      [say("first", "1"), node("stop", "stop", { message: "No" })],
      edges("first>stop"),
    );
    await open(workflowId);
    await button("Runs").click();
    await page.getByText("This workflow has not run yet").waitFor();
    const { id } = await flows.run(workflowId);
    const rows = page.getByRole("region", { name: "Runs" }).getByRole("row");
    await eventually(() => rows.count()).toBe(2);
    await rows.nth(1).getByText("Failed").waitFor();
    await rows.nth(1).getByRole("cell", { name: "API", exact: true }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await rows.nth(1).getByRole("button").focus();
    await page.keyboard.press("Enter");
    await box(/^first, .*Succeeded/).waitFor();
    expect(new URL(page.url()).searchParams.get("run")).toBe(id);
    await button("Runs").click();
    await rows.nth(1).getByRole("link", { name: "Open the page of this run" }).click();
    await page.waitForURL(/\/runs\//);
    expect(complaints).toEqual([]);
  });
});
