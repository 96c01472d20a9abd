import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CanvasNote } from "../../src/workflows/wire.ts";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let viewer: Awaited<ReturnType<typeof signUpMember>>;
let page: Page;
let complaints: string[];
const { canvas, box, button, edited, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
  viewer = await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
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
const sheet = (others: Partial<CanvasNote> = {}): CanvasNote => ({
  id: "note_1",
  text: "Refund rule\nUp to 50 the agent refunds alone. See [the wiki](https://wiki.example.com/returns).",
  x: -40,
  y: -60,
  width: 360,
  height: 240,
  ...others,
});

async function save(notes: CanvasNote[]): Promise<string> {
  const nodes = [
    node("start", "start", {}, at(0, 60)),
    node("now", "system_date_time", {}, { name: "Now", ...at(400, 60) }),
  ];
  const canvasWithNotes = { nodes, edges: edges("start>now"), ...(notes.length > 0 ? { notes } : {}) };
  const { status, body } = await flows.owner.browser.post(`${flows.path}/workflows`, {
    name: "Noted",
    canvas: canvasWithNotes,
  });
  expect(status).toBe(201);
  return body.id;
}

const notesOf = async (id: string) => (await edited(id)).notes;
const placesOf = async (id: string) =>
  Object.fromEntries((await edited(id)).nodes.map(({ id: key, position }) => [key, position]));
const text = () => page.getByRole("textbox", { name: "Text of the note" });

async function drag(from: { x: number; y: number }, way: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + way.x / 2, from.y + way.y / 2, { steps: 4 });
  await page.mouse.move(from.x + way.x, from.y + way.y, { steps: 4 });
  await page.mouse.up();
}

async function cornerOf(name: RegExp): Promise<{ x: number; y: number; width: number; height: number }> {
  const shown = await box(name).boundingBox();
  if (!shown) throw new Error("the note is not shown");
  return shown;
}

describe("a note on the canvas", () => {
  it("is added, written, read with its heading and links, and deleted by mouse", async () => {
    const id = await save([]);
    await open(id);
    await button("Add note").click();
    await text().fill("Refund rule\nAsk [Ann](https://example.com/ann) above 50.\n[no](javascript:alert(1))");
    await canvas().click({ position: { x: 30, y: 400 } });
    await text().waitFor({ state: "detached" });
    const note = box(/^Note: Refund rule$/);
    await note.waitFor();
    const weight = `getComputedStyle(document.getElementById("canvas-node-note:note_1").querySelector("p")).fontWeight`;
    expect(await page.evaluate(weight)).toBe("600");
    const link = note.getByRole("link");
    expect(await link.count()).toBe(1);
    expect([await link.textContent(), await link.getAttribute("href"), await link.getAttribute("rel")]).toEqual([
      "Ann",
      "https://example.com/ann",
      "noopener noreferrer",
    ]);
    await until(1, async () => (await notesOf(id))?.length);
    expect(await findAccessibilityFaults(page)).toEqual([]);

    await note.dblclick({ position: { x: 150, y: 90 } });
    await text().fill("Other rule");
    await page.keyboard.press("Escape");
    await box(/^Note: Other rule$/).waitFor();
    await box(/^Note: Other rule$/).click({ position: { x: 150, y: 90 } });
    await button("Delete").click();
    await until(undefined, () => notesOf(id));
    await button("Undo").click();
    await until("Other rule", async () => (await notesOf(id))?.[0]?.text);
    expect(complaints).toEqual([]);
  });

  it("is added, written, resized, moved with what lies on it, duplicated and deleted by keyboard", async () => {
    const id = await save([sheet()]);
    await open(id);
    await canvas().focus();
    await page.keyboard.press("g");
    await eventually(() => canvas().getAttribute("aria-activedescendant")).toBe("canvas-node-note:note_1");
    await page.keyboard.press("Alt+ArrowRight");
    await page.keyboard.press("Alt+ArrowDown");
    await until({ width: 380, height: 260 }, async () => sizeOf((await notesOf(id))?.[0]));
    await page.keyboard.press("Shift+ArrowDown");
    await until([-40, { x: 0, y: 60 }], async () => [(await notesOf(id))?.[0]?.y, (await placesOf(id)).start]);
    await page.keyboard.press("Alt+Shift+ArrowRight");
    await until([-20, { x: 20, y: 60 }, { x: 400, y: 60 }], async () => [
      (await notesOf(id))?.[0]?.x,
      (await placesOf(id)).start,
      (await placesOf(id)).now,
    ]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Typed");
    await page.keyboard.press("Escape");
    await box(/^Note: Typed$/).waitFor();
    await page.keyboard.press("Control+d");
    await until(["Typed", "Typed"], async () => (await notesOf(id))?.map((one) => one.text));
    await page.keyboard.press("Delete");
    await until(["Typed"], async () => (await notesOf(id))?.map((one) => one.text));
    await page.keyboard.press("s");
    await page.keyboard.type("New");
    await page.keyboard.press("Escape");
    await until(["Typed", "New"], async () => (await notesOf(id))?.map((one) => one.text));
    expect((await edited(id)).nodes.map((one) => one.id)).toEqual(["start", "now"]);
    expect(await page.getByRole("region", { name: /^Node / }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  const sizeOf = (note: CanvasNote | undefined) => note && { width: note.width, height: note.height };

  it("lies behind nodes, is dragged alone, with Alt together with what lies on it, and resized at its corner", async () => {
    const id = await save([sheet()]);
    await open(id);
    const before = await cornerOf(/^Note: Refund/);
    await box(/^Start/).click();
    await page.getByRole("region", { name: "Node Start" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await isStill();
    await drag({ x: before.x + 200, y: before.y + 30 }, { x: 0, y: -60 });
    await until(true, async () => ((await notesOf(id))?.[0]?.y ?? 0) < -60);
    expect((await placesOf(id)).start).toEqual({ x: 0, y: 60 });
    await page.keyboard.press("Control+z");
    await until(-60, async () => (await notesOf(id))?.[0]?.y);

    await isStill();
    const again = await cornerOf(/^Note: Refund/);
    await page.keyboard.down("Alt");
    await drag({ x: again.x + 200, y: again.y + 30 }, { x: 40, y: 60 });
    await page.keyboard.up("Alt");
    await until(true, async () => ((await notesOf(id))?.[0]?.y ?? 0) > -60);
    const moved = (await notesOf(id))?.[0];
    const places = await placesOf(id);
    expect([(places.start?.x ?? 0) - 0, (places.start?.y ?? 0) - 60]).toEqual([
      (moved?.x ?? 0) + 40,
      (moved?.y ?? 0) + 60,
    ]);
    expect(places.now).toEqual({ x: 400, y: 60 });
    await page.keyboard.press("Control+z");
    await until({ x: 0, y: 60 }, async () => (await placesOf(id)).start);

    await isStill();
    const shown = await cornerOf(/^Note: Refund/);
    await page.mouse.move(shown.x + 100, shown.y + 30);
    await drag({ x: shown.x + shown.width - 5, y: shown.y + shown.height - 5 }, { x: 60, y: 40 });
    await until(true, async () => ((await notesOf(id))?.[0]?.width ?? 0) > 380);
    const resized = (await notesOf(id))?.[0];
    expect([resized?.x, resized?.y]).toEqual([-40, -60]);
    expect(complaints).toEqual([]);
  });

  it("is no more than a hundred times there, which is said in words", async () => {
    const id = await save(Array.from({ length: 100 }, (_, index) => sheet({ id: `n${index}`, x: index * 10 })));
    await open(id);
    await button("Add note").click();
    await page.getByRole("alert").filter({ hasText: "A workflow has at most 100 notes. Delete one first." }).waitFor();
    expect((await notesOf(id))?.length).toBe(100);
    expect(complaints).toEqual([]);
  });

  it.each([
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 390, height: 844 } }],
  ])("can be read by a viewer, who changes nothing (%s)", async (_, options) => {
    const id = await save([sheet()]);
    await open(id, { person: viewer.browser, ...options });
    await box(/^Note: Refund rule$/).waitFor();
    await box(/^Note: Refund rule$/).dblclick({ position: { x: 100, y: 60 } });
    await page.keyboard.press("Delete");
    expect(await text().count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect((await notesOf(id))?.length).toBe(1);
    expect(complaints).toEqual([]);
  });
});

describe("a note on a node", () => {
  it("is written in its settings and shown as a sign on its card", async () => {
    const id = await save([]);
    await open(id);
    await box(/^Now/).click();
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("textbox", { name: "Note", exact: true }).fill("In UTC, ask Ben");
    await until("In UTC, ask Ben", async () => (await edited(id)).nodes[1]?.note);
    await box(/^Now, .*Note: In UTC, ask Ben/)
      .getByTitle("In UTC, ask Ben")
      .waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("i");
    await eventually(() => page.evaluate("document.activeElement.id")).toBe("node-now/note");
    expect(complaints).toEqual([]);
  });
});
