import { readFileSync } from "node:fs";
import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, idsOf, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { signUpMember } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, button, read, edited, stored, isStill, saysSaved } = createCanvasPage({
  page: () => page,
  flows: () => flows,
});

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

// The browser itself reports the statuses by which the page learns that a name is taken or a workflow is gone.
const isExpected = (message: ConsoleMessage) => message.text().includes("400 (Bad Request)");

async function open(workflowId: string, person = flows.owner.browser): Promise<void> {
  const options = { baseUrl: flows.app.platformUrl, person, isExpected, viewport: { width: 1280, height: 800 } };
  ({ page, complaints } = await browser.open({ ...options, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

const menuItem = async (name: string) => {
  await button("More about this workflow").click();
  await page.getByRole("menuitem", { name }).click();
};

describe("the palette", () => {
  it("offers every node there is, each with its icon", async () => {
    const kindsOf = async (path: string) =>
      ((await flows.owner.browser.get(path)).body.data as { id: string }[]).length;
    const count = (await kindsOf("/api/nodes")) + (await kindsOf("/api/engine-nodes"));
    await open(await flows.save([]));
    await button("Add the first node").click();
    const options = page.locator('[role=option]:not([aria-label="Yours"] *, [id*="-start:"])');
    await eventually(() => options.count()).toBe(count);
    expect(await options.filter({ has: page.locator("img, svg") }).count()).toBe(count);
    const broken = `[...document.querySelectorAll("[role=option] img")].filter((icon) => !icon.complete || icon.naturalWidth === 0).length`;
    await eventually(() => page.evaluate(broken)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("a field of a node", () => {
  it("keeps a text that is not JSON yet while its panel is closed and over a reload, and the value once it is", async () => {
    const id = await flows.save([
      node("shape", "system_transform_json", { expression: "1", data: { a: 1 } }, { name: "Shape" }),
    ]);
    const dataOf = async () => (await edited(id)).nodes[0]?.parameters?.data;
    await open(id);
    await box(/^Shape/).click();
    const panel = page.getByRole("region", { name: "Node Shape" });
    const field = panel.getByRole("textbox", { name: /^Data/ });
    await field.fill('{"a": 2, "b": ');
    await panel.getByText(/^Data is not valid JSON yet/).waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await panel.getByText(/^Data is not valid JSON yet/).waitFor();
    expect(await field.inputValue()).toBe('{"a": 2, "b": ');
    expect(await dataOf()).toEqual({ a: 1 });
    await page.reload();
    await panel.getByText(/^Data is not valid JSON yet/).waitFor();
    expect(await field.inputValue()).toBe('{"a": 2, "b": ');
    await field.fill('{"a": 2, "b": 3}');
    await until({ a: 2, b: 3 }, dataOf);
    await page.reload();
    await eventually(async () => JSON.parse(await field.inputValue())).toEqual({ a: 2, b: 3 });
    expect(await panel.getByText(/^Data is not valid JSON yet/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("the bar above the canvas", () => {
  const html = `<img src=x onerror="alert(1)">`;
  const nameField = () => page.getByLabel("Name of the workflow");

  it("renames the workflow by Enter and by leaving the field, as text, and Escape brings the name back", async () => {
    const id = await flows.save([node("start", "start")], [], "Before");
    await open(id);
    await nameField().fill(html);
    await nameField().press("Enter");
    await until(html, async () => (await read(id)).name);
    await page.getByRole("heading", { level: 1, name: html, exact: true }).waitFor({ state: "attached" });
    await eventually(() => page.title()).toContain(html);
    await nameField().fill("After");
    await canvas().focus();
    await until("After", async () => (await read(id)).name);
    await nameField().fill("Never");
    await nameField().press("Escape");
    expect(await nameField().inputValue()).toBe("After");
    await nameField().fill("  ");
    await nameField().press("Enter");
    await eventually(() => nameField().inputValue()).toBe("After");
    expect((await read(id)).name).toBe("After");
    expect(complaints).toEqual([]);
  });

  it("turns the workflow off, so that nothing starts it, and on again", async () => {
    const id = await flows.save([node("start", "start")]);
    await open(id);
    const toggle = page.getByRole("switch", { name: "Workflow is active" });
    await toggle.click();
    await until(false, async () => (await read(id)).isActive);
    expect((await flows.trigger(id)).status).toBe(409);
    await eventually(() => toggle.getAttribute("aria-checked")).toBe("false");
    await toggle.click();
    await until(true, async () => (await read(id)).isActive);
    expect((await flows.run(id)).status).toBe("succeeded");
    expect(complaints).toEqual([]);
  });

  it("has a menu that duplicates and exports what is on the canvas this moment", async () => {
    const id = await flows.save([node("start", "start")], [], "Original");
    await open(id);
    await box(/^Start/).click();
    await page.keyboard.press("Control+d");
    const download = page.waitForEvent("download");
    await menuItem("Export as a file");
    const file = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    expect([file.name, idsOf(file.canvas)]).toEqual(["Original", ["start", "start_2"]]);

    await canvas().focus();
    await page.keyboard.press("Control+d");
    await menuItem("Duplicate");
    await page.getByRole("dialog", { name: "Duplicate Original?" }).getByRole("button", { name: "Duplicate" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByRole("heading", { level: 1, name: /^Original .+/ }).waitFor({ state: "attached" });
    await eventually(() => page.locator(".react-flow__node").count()).toBe(3);
    const copyId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(await stored(copyId)).toEqual([["start", "start_2", "start_3"], []]);
    await saysSaved();
    expect(complaints).toEqual([]);
  });

  it("opens how to call this workflow, with the instructions that are on the canvas", async () => {
    const id = await flows.save([
      node("say", "transform", { expression: "1" }, { name: "Say", instruction: "Be short." }),
    ]);
    await open(id);
    await button("Call this workflow").click();
    await page.waitForURL(/panel=call/);
    const panel = page.getByRole("region", { name: "Call this workflow" });
    await panel.getByText(`/task-runner/trigger/${id}`).first().waitFor();
    await panel.getByText("Instructions and accounts of this call").click();
    await panel.getByRole("checkbox", { name: "Say" }).check();
    await panel.getByLabel("API key").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it("has a menu that deletes only after a question, and then leads to the list", async () => {
    const id = await flows.save([node("start", "start")], [], "Short lived");
    await open(id);
    await menuItem("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete Short lived?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await read(id)).name).toBe("Short lived");
    await box(/^Start/).click();
    await page.keyboard.press("Control+d");
    await menuItem("Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL((url) => url.pathname.endsWith("/workflows"));
    await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();
    expect((await flows.owner.browser.get(`${flows.path}/workflows/${id}`)).status).toBe(404);
    await page.getByRole("link", { name: "Short lived", exact: true }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it("lets a viewer export and nothing else", async () => {
    const vera = await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
    const id = await flows.save([node("start", "start")], [], "Seen");
    await open(id, vera.browser);
    await page.getByRole("heading", { level: 1, name: "Seen" }).waitFor();
    await page.getByText("View only").waitFor();
    expect([await nameField().count(), await page.getByRole("switch").count()]).toEqual([0, 0]);
    await button("More about this workflow").click();
    await page.getByRole("menuitem").first().waitFor();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Export as a file"]);
    expect(complaints).toEqual([]);
  });
});
