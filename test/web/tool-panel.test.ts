import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
});
afterAll(() => flows?.stop());
beforeEach(async () => {
  await flows.app.database.query("DELETE FROM workflow");
  await openAs(flows.owner.email);
});

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, isExpected, ...options }));
}

// The browser itself reports what the server refuses.
const isExpected = (message: ConsoleMessage) => /status of 4(?:00|09)/.test(message.text());

const save = (name = "Look up an order") =>
  flows.save([node("give", "transform", { expression: '{ "order": $trigger.payload.order }' })], [], name);
const open = (id: string, panel = "") => page.goto(`/o/${flows.owner.organizationId}/workflows/${id}${panel}`);
const panel = () => page.getByRole("region", { name: "This workflow as a tool" });
const read = async (id: string) => (await flows.owner.browser.get(`${flows.path}/workflows/${id}`)).body;

describe("a workflow as a tool", () => {
  it("is offered from the triggers of the canvas, with inputs, and the snippet calls it", async () => {
    const id = await save();
    await open(id);
    await page.getByRole("button", { name: "Add trigger" }).click();
    await page.getByRole("menuitem", { name: /^Offered as a tool/ }).click();
    expect(await panel().getByLabel("Name of the tool").inputValue()).toBe("look_up_an_order");
    await panel().getByLabel("Description").fill("Finds an order by its number.");
    await panel().getByRole("button", { name: "Add an input" }).click();
    await panel().getByLabel("Input 1: name").fill("order");
    await panel().getByLabel("Input 1: type").selectOption("Whole number");
    await panel().getByLabel("Input 1: what it is").fill("Its number");
    await panel().getByRole("button", { name: "Offer as a tool" }).click();
    await panel().getByText("Clients of this organization see it now.").waitFor();
    expect(await read(id)).toMatchObject({
      description: "Finds an order by its number.",
      tool: {
        name: "look_up_an_order",
        inputs: [{ name: "order", type: "integer", description: "Its number", required: true }],
      },
    });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: /look_up_an_order/ }).waitFor();

    const { key } = await flows.app.parts.identity.apiKeys.create(flows.owner.organizationId, {
      name: "client",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    const figure = panel().getByRole("figure").filter({ hasText: "One call by hand" });
    const text = (await figure.locator("pre").textContent()) ?? "";
    const response = await fetch(/curl -s (\S+)/.exec(text)?.[1] ?? "", {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: /-d '(.+)'/s.exec(text)?.[1] ?? "",
    });
    expect(await response.json()).toMatchObject({
      result: { structuredContent: { status: "succeeded", items: [{ order: 1 }] } },
    });

    await panel().getByLabel("Description").fill("Half");
    await page.keyboard.press("Escape");
    expect(await panel().getByLabel("Description").inputValue()).toBe("Half");
    await panel().getByRole("switch", { name: "Offer as a tool" }).click();
    const question = page.getByRole("dialog", { name: "Take the tool back?" });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect((await read(id)).tool.name).toBe("look_up_an_order");
    await panel().getByRole("switch", { name: "Offer as a tool" }).click();
    await question.getByRole("button", { name: "Take it back" }).click();
    await eventually(async () => (await read(id)).tool).toBe(null);
    expect((await read(id)).description).toBe("Finds an order by its number.");
    expect(complaints).toEqual([]);
  });

  it("is turned on by keyboard, and says at the field what the server refuses", async () => {
    await save("First");
    const taken = await read(await save("Taken"));
    await flows.owner.browser.patch(`${flows.path}/workflows/${taken.id}`, { tool: { name: "taken", inputs: [] } });
    const id = await save("Second");
    await open(id, "?panel=tool");
    await panel().getByLabel("Name of the tool").fill("Not Allowed");
    await panel().getByRole("button", { name: "Offer as a tool" }).focus();
    await page.keyboard.press("Enter");
    await panel().getByText("Name of the tool must be 1 to 64 lower-case letters, digits or underscores.").waitFor();
    await panel().getByLabel("Name of the tool").fill("taken");
    await page.keyboard.press("Enter");
    await panel().getByText("Name of the tool is the name of another workflow's tool.").waitFor();
    expect((await read(id)).tool).toBe(null);
    await panel().getByLabel("Name of the tool").fill("second");
    await panel().getByRole("switch", { name: "Offer as a tool" }).focus();
    await page.keyboard.press("Space");
    await eventually(async () => (await read(id)).tool?.name).toBe("second");
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)("is only shown to a viewer, on a telephone in %s", async (colorScheme) => {
    const id = await save();
    const tool = { name: "find_order", inputs: [{ name: "order", type: "integer", description: "", required: true }] };
    await flows.owner.browser.patch(`${flows.path}/workflows/${id}`, { tool });
    await openAs("vera@example.com", { colorScheme, viewport: { width: 390, height: 844 } });
    await open(id, "?panel=tool");
    await panel().getByText("find_order", { exact: true }).waitFor();
    await panel().getByText("integer, required").waitFor();
    expect(await page.getByRole("switch").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(complaints).toEqual([]);
  });
});
