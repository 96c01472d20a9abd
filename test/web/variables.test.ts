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
});
afterAll(() => flows?.stop());

async function openAs(email: string, path: string, viewport = { width: 1280, height: 800 }): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, viewport }));
  await page.goto(`/o/${flows.owner.organizationId}${path}`);
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const variables = async () => (await flows.owner.browser.get(`${flows.path}/variables`)).body.data;

describe("the variables of an organization", () => {
  it("are added by keyboard, changed and removed", async () => {
    await openAs(flows.owner.email, "/organization?tab=variables");
    await page.getByRole("heading", { name: "No variables yet" }).waitFor();
    await button("New variable").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("region");
    await dialog.getByText("Fields read it as $vars.region.").waitFor();
    await dialog.getByLabel("Value").fill("eu");
    await button("Add variable").press("Enter");
    await page.getByText("$vars.region").waitFor();
    await button("Change region").click();
    await dialog.getByLabel("Kind").selectOption("Number");
    await dialog.getByLabel("Value").fill("5");
    await button("Save").click();
    await page.getByText("Number").waitFor();
    expect(await variables()).toMatchObject([{ name: "region", value: 5 }]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Remove region").click();
    await button("Remove").click();
    await page.getByRole("heading", { name: "No variables yet" }).waitFor();
    expect([await variables(), complaints]).toEqual([[], []]);
  });

  it("are refused with the reason at the field", async () => {
    await openAs(flows.owner.email, "/organization?tab=variables&create=variable");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("in");
    await dialog.getByLabel("Value").fill("x");
    await button("Add variable").click();
    await dialog.getByText(/must not be a word of expressions/).waitFor();
  });

  it("are only read by a viewer, also on a narrow screen", async () => {
    await flows.owner.browser.send("PUT", `${flows.path}/variables/address`, { value: "https://shop.test/orders" });
    await openAs("vera@example.com", "/organization?tab=variables", { width: 390, height: 780 });
    await page.getByText("https://shop.test/orders").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect([await sidewaysScrolling(page), await findAccessibilityFaults(page)]).toEqual([0, []]);
    expect(complaints).toEqual([]);
  });

  it("are offered while a field is written, with their value", async () => {
    await flows.owner.browser.send("PUT", `${flows.path}/variables/shop`, { value: "Northwind" });
    const id = await flows.save([node("set", "set_fields", { fields: { text: "x" } })], edges(), "Completes");
    await openAs(flows.owner.email, `/workflows/${id}?node=set`);
    const field = page.getByRole("combobox", { name: /text/i }).or(page.getByRole("textbox", { name: /text/i }));
    await field.first().fill("{{ $vars.s");
    await page.getByRole("option", { name: /\$vars\.shop/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the error workflow", () => {
  it("is chosen for all workflows, and for one of them in the editor", async () => {
    const stop = [node("stop", "stop", { message: "No" })];
    const tell = await flows.save([node("tell", "set_fields", { fields: {} })], edges(), "Tell somebody");
    const failing = await flows.save(stop, edges(), "Fails");
    await openAs(flows.owner.email, "/organization?tab=settings");
    const card = page.getByRole("region", { name: "Error workflow" });
    await card.getByLabel("When a run fails, start").selectOption("Tell somebody");
    await card.getByRole("button", { name: "Save" }).click();
    await card.getByText("The error workflow is saved.").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect((await flows.owner.browser.get(`${flows.path}/workflow-defaults`)).body.errorWorkflowId).toBe(tell);
    await page.goto(`/o/${flows.owner.organizationId}/workflows/${failing}`);
    await button("More about this workflow").click();
    await page.getByRole("menuitem", { name: "Error workflow" }).click();
    const dialog = page.getByRole("dialog", { name: "Error workflow" });
    await dialog.getByRole("option", { name: "The organization's: Tell somebody" }).waitFor({ state: "attached" });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog.getByLabel("When a run fails, start").selectOption("Nothing");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${failing}`);
    expect([body.errorWorkflow, complaints]).toEqual(["none", []]);
  });
});
