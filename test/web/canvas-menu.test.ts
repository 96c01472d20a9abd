import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, edited, stored, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(workflowId: string, options: object = {}): Promise<void> {
  const person = flows.owner.browser;
  const viewport = { width: 1280, height: 800 };
  const baseUrl = flows.app.platformUrl;
  ({ page, complaints } = await browser.open({ baseUrl, person, viewport, reducedMotion: "reduce", ...options }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

const at = (x: number, y: number) => ({ position: { x, y } });
const save = () =>
  flows.save(
    [
      node("first", "set_fields", { fields: { a: "1" } }, { name: "First", ...at(0, 0) }),
      node("then", "set_fields", { fields: { b: "2" } }, { name: "Then", ...at(320, 0) }),
    ],
    edges("first>then"),
  );

const menu = (name: string | RegExp) => page.getByRole("menu", { name });
const entries = () => page.getByRole("menuitem").allTextContents();
/** By its first letters; the menu goes to an entry a moment after they were typed. */
async function choose(label: string): Promise<void> {
  await eventually(() => page.evaluate("document.activeElement.closest('[role=menu]') !== null")).toBe(true);
  await page.keyboard.type(label.slice(0, 3));
  await eventually(() => page.evaluate("document.activeElement.textContent")).toMatch(new RegExp(`^${label}`));
  await page.keyboard.press("Enter");
}
const press = (name: string) => page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();

describe("the menu of a node", () => {
  it("opens by the right button, with the keys of its entries, and runs, pins, turns off and deletes", async () => {
    const id = await save();
    await open(id);
    await box(/^First/).click({ button: "right" });
    await menu("Node First").waitFor();
    expect(await entries()).toEqual([
      "Run this stepCtrl Enter",
      "Run to hereShift Enter",
      "Run from hereCtrl Shift Enter",
      "Pin its outputP",
      "CopyCtrl C",
      "DuplicateCtrl D",
      "RenameF2",
      "Turn offD",
      "Note on this nodeI",
      "DeleteDel",
    ]);
    expect(await page.getByRole("menuitem", { name: /^Pin its output/ }).getAttribute("aria-disabled")).toBe("true");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await press("Run this step");
    await page.getByText(/^Succeeded after /).waitFor();

    await box(/^First/).click({ button: "right" });
    await press("Pin its output");
    await box(/^First/)
      .getByText("Pinned")
      .waitFor();
    await box(/^First/).click({ button: "right" });
    await press("Edit pinned data");
    const dialog = page.getByRole("dialog", { name: "Pinned data" });
    await dialog.getByLabel("Data (JSON)").fill('[{"a":"pinned"}]');
    await dialog.getByRole("button", { name: "Pin", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${id}/draft/pins/first`);
    expect(body.outputs).toEqual({ out: [{ a: "pinned" }] });

    await box(/^Then/).click({ button: "right" });
    await press("Turn off");
    await until(true, async () => (await edited(id)).nodes[1]?.settings?.disabled);
    await box(/^Then/).click({ button: "right" });
    await press("Turn on");
    await until(undefined, async () => (await edited(id)).nodes[1]?.settings);
    await box(/^Then/).click({ button: "right" });
    await press("Delete");
    await until([["first"], []], () => stored(id));
    expect(complaints).toEqual([]);
  });

  it("opens by the key, gives the focus back, and leads to the name and the note of the node", async () => {
    const id = await save();
    await open(id);
    await canvas().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+F10");
    await menu("Node First").waitFor();
    await page.keyboard.press("Escape");
    await menu("Node First").waitFor({ state: "detached" });
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Canvas");
    await page.keyboard.press("ContextMenu");
    await choose("Duplicate");
    await until([["first", "first_2", "then"], ["first>then"]], () => stored(id));

    await canvas().focus();
    await page.keyboard.press("Shift+F10");
    await choose("Rename");
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Name of the node");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Other");
    await until("Other", async () => (await edited(id)).nodes[2]?.name);
    await page.keyboard.press("Escape");
    await page.keyboard.press("F2");
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Name of the node");
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await until(true, async () => (await edited(id)).nodes[2]?.settings?.disabled);
    expect(complaints).toEqual([]);
  });

  it("copies where the browser has no clipboard for pages, as over plain http", async () => {
    const id = await save();
    await open(id);
    await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
    await box(/^Then/).click({ button: "right" });
    await press("Copy");
    await menu("Node Then").waitFor({ state: "detached" });
    await page.keyboard.press("Control+v");
    await until([["first", "then", "then_2"], ["first>then"]], () => stored(id));
    expect(complaints).toEqual([]);
  });

  it("opens by the button that is there while one points at the node, and copies to the clipboard", async () => {
    const id = await save();
    await open(id, { permissions: ["clipboard-read", "clipboard-write"] });
    await box(/^First/).hover();
    await page.getByRole("button", { name: "More about First" }).click();
    await menu("Node First").waitFor();
    await press("Copy");
    await menu("Node First").waitFor({ state: "detached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain('"switchyard.nodes"');
    await canvas().focus();
    await page.keyboard.press("Control+v");
    await until([["first", "first_2", "then"], ["first>then"]], () => stored(id));
    expect(complaints).toEqual([]);
  });
});

describe("the menu of anything else", () => {
  it("is about several nodes, a connection, a note or the canvas", async () => {
    const id = await save();
    await open(id);
    await canvas().focus();
    await page.keyboard.press("Control+a");
    await box(/^Then/).click({ button: "right" });
    await menu("What is selected").waitFor();
    expect(await entries()).toEqual(["CopyCtrl C", "DuplicateCtrl D", "DeleteDel"]);
    await page.keyboard.press("Escape");

    const [first, then] = [await box(/^First/).boundingBox(), await box(/^Then/).boundingBox()];
    const middle = {
      x: ((first?.x ?? 0) + (first?.width ?? 0) + (then?.x ?? 0)) / 2,
      y: (first?.y ?? 0) + (first?.height ?? 0) / 2,
    };
    await page.mouse.click(middle.x, middle.y, { button: "right" });
    await menu("Connection").waitFor();
    expect(await entries()).toEqual(["Add a node hereN", "DeleteDel"]);
    await press("Delete");
    await until([["first", "then"], []], () => stored(id));

    await canvas().click({ button: "right", position: { x: 100, y: 500 } });
    await menu("Canvas").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await press("Add a note");
    await page.getByRole("textbox", { name: "Text of the note" }).fill("Here");
    await page.keyboard.press("Escape");
    await box(/^Note: Here/).click({ button: "right" });
    await menu("Note Here").waitFor();
    expect(await entries()).toEqual(["Edit the textEnter", "CopyCtrl C", "DuplicateCtrl D", "DeleteDel"]);
    await press("Edit the text");
    await page.keyboard.type("!");
    await page.keyboard.press("Escape");
    await until(["Here!"], async () => (await edited(id)).notes?.map(({ text }) => text));
    expect(complaints).toEqual([]);
  });

  it("is about a trigger: opens, turns off and deletes it, by mouse and by keyboard", async () => {
    const id = await save();
    const { body: trigger } = await flows.owner.browser.post(`${flows.path}/triggers`, {
      workflowId: id,
      kind: "webhook",
      name: "Shop form",
      signature: "none",
    });
    await open(id, { isExpected: (message: ConsoleMessage) => message.text().includes("net::ERR_FAILED") });
    const card = page.getByRole("application").getByRole("button", { name: /^Trigger Shop form/ });
    await card.click({ button: "right" });
    await menu("Trigger Shop form").waitFor();
    expect(await entries()).toEqual(["OpenEnter", "Turn off", "Delete"]);
    const change = `**/triggers/${trigger.id}`;
    await page.route(change, (route) => route.abort(), { times: 1 });
    await press("Turn off");
    const refusal = page.getByRole("dialog", { name: "Not turned off" });
    await refusal.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await refusal.waitFor({ state: "detached" });
    await card.click({ button: "right" });
    await press("Turn off");
    await card.getByText("Webhook · off").waitFor();
    await card.focus();
    await page.keyboard.press("Shift+F10");
    await menu("Trigger Shop form").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await eventually(() => page.evaluate("document.activeElement.id")).toBe(`trigger-card-${trigger.id}`);
    await page.keyboard.press("Shift+F10");
    await choose("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete “Shop form”?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.waitFor({ state: "detached" });
    await card.waitFor({ state: "detached" });
    expect((await flows.owner.browser.get(`${flows.path}/triggers/${trigger.id}`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });
});

describe("the search on the canvas", () => {
  it("goes through the hits, selects and centres them, and gives the focus back", async () => {
    const nodes = Array.from({ length: 8 }, (_, index) =>
      node(
        `n${index}`,
        "set_fields",
        { fields: { text: index === 6 ? "refund" : "x" } },
        { name: `Step ${index}`, ...at(index * 400, 0) },
      ),
    );
    const id = await flows.save([
      ...nodes.slice(0, 2),
      { ...nodes[2], note: "Refunds only" } as (typeof nodes)[number],
      ...nodes.slice(3),
    ]);
    await open(id);
    await canvas().focus();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Search the canvas" }).fill("refund");
    const said = page.getByRole("search").getByRole("status");
    await eventually(() => said.textContent()).toBe("2 found");
    await page.keyboard.press("Enter");
    await eventually(() => said.textContent()).toBe("1 of 2: Step 2");
    await page.keyboard.press("Enter");
    await eventually(() => said.textContent()).toBe("2 of 2: Step 6");
    await page
      .locator(".react-flow__node.selected")
      .getByRole("group", { name: /^Step 6/ })
      .waitFor();
    const [shown, frame] = [await box(/^Step 6/).boundingBox(), await canvas().boundingBox()];
    const middle = (area: typeof shown) => (area?.x ?? 0) + (area?.width ?? 0) / 2;
    expect(Math.abs(middle(shown) - middle(frame))).toBeLessThan(5);
    await page.keyboard.press("Shift+Enter");
    await eventually(() => said.textContent()).toBe("1 of 2: Step 2");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Search the canvas" }).fill("nowhere");
    await eventually(() => said.textContent()).toBe("Nothing found");
    await canvas().focus();
    await page.keyboard.press("Control+f");
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      "Search the canvas",
    );
    await page.keyboard.press("Tab");
    await page.keyboard.press("Escape");
    await eventually(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Canvas");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Node Step 2" }).waitFor();
    await page.getByRole("button", { name: "Search the canvas (Ctrl+F)" }).click();
    await page.getByRole("textbox", { name: "Search the canvas" }).waitFor();
    await page.getByRole("button", { name: "Close the search" }).click();
    expect(complaints).toEqual([]);
  });
});
