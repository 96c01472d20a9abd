import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type PageOptions, sidewaysScrolling } from "../support/browser/open-page.ts";
import { signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { box, button, stored, published, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(id: string, search: string, options: Partial<PageOptions> = {}): Promise<void> {
  const { app, owner } = flows;
  const first = { baseUrl: app.platformUrl, person: owner.browser, viewport: { width: 1280, height: 800 } };
  ({ page, complaints } = await browser.open({ ...first, reducedMotion: "reduce", ...options }));
  await page.goto(`/o/${owner.organizationId}/workflows/${id}${search}`);
  await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
}

const at = (x: number, y: number) => ({ position: { x, y } });
const start = node("start", "start", {}, at(0, 0));
const decide = (condition: string) => node("decide", "condition", { condition }, { name: "Expensive?", ...at(320, 0) });
const old = node("old", "wait", { milliseconds: 5 }, { name: "Rest", ...at(640, 0) });
const refund = node("refund", "set_fields", { fields: { a: 1 } }, { name: "Refund", ...at(640, 160) });
const first = { nodes: [start, decide("$input.total > 50"), old], edges: edges("start>decide") };
const second = { nodes: [start, decide("$input.total > 100"), refund], edges: edges("start>decide") };

/** Version 1 by the command line, version 2 by Ann with a note, and what else is asked for. */
async function saveTwo(): Promise<string> {
  const { workflows } = flows.app.parts;
  const { organizationId, browser: ann } = flows.owner;
  const { id } = await workflows.create(organizationId, { name: "Flow", canvas: first }, null);
  const change = { canvas: second, expectedVersion: 1, note: "Refund above 100" };
  await ann.patch(`${flows.path}/workflows/${id}`, change);
  return id;
}

const canvasOf = (name: string) => page.getByRole("application", { name: `Canvas of ${name}`, exact: true });
const list = () => page.getByRole("region", { name: "Versions" });
const rows = async () => {
  const shown = page.getByRole("region", { name: "Values that are different" }).getByRole("row");
  return (await shown.allInnerTexts()).slice(1).map((row) => row.split(/\s*\t\s*|\n+/).join(" | "));
};

describe("the versions of a workflow", () => {
  it("tell who made them, when and why: a person, a key or the command line", async () => {
    const id = await saveTwo();
    const author = { userId: null, apiKeyId: "0197f0a0-0000-7000-8000-000000000001", name: "Builder" };
    const place = { organizationId: flows.owner.organizationId, workflowId: id };
    await flows.app.parts.workflows.update(place, { canvas: first, expectedVersion: 2 }, author);
    await open(id, "");
    await button("Versions").click();
    await list()
      .getByRole("button", { name: /^Version 3 live .*No note Key Builder$/ })
      .waitFor();
    await list()
      .getByRole("button", { name: /^Version 2 .* Refund above 100 Ann$/ })
      .waitFor();
    await list()
      .getByRole("button", { name: /^Version 1 .*Command line$/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("are compared as two canvases that move together, with marks, and value by value", async () => {
    const id = await saveTwo();
    await open(id, "?panel=versions");
    await canvasOf("Version 1")
      .getByRole("group", { name: /^Expensive\?.*, changed/ })
      .waitFor();
    await canvasOf("Version 1")
      .getByRole("group", { name: /^Rest.*, gone/ })
      .waitFor();
    await canvasOf("Version 2")
      .getByRole("group", { name: /^Refund.*, new/ })
      .waitFor();
    expect(
      await canvasOf("Version 2")
        .getByRole("group", { name: /^Start.*, (new|changed|gone)/ })
        .count(),
    ).toBe(0);
    await eventually(rows).toEqual([
      "Expensive? | Condition | $input.total > 50 | $input.total > 100",
      "Refund | New node | not there | Set fields",
      "Refund | Fields | not there | {a: 1}",
      "Rest | Removed node | Wait | not there",
      "Rest | How long | 0.005 seconds | not there",
    ]);
    const shown = `[...document.querySelectorAll(".react-flow__viewport")].map((each) => each.style.transform)`;
    const views = () => page.evaluate<string[]>(shown);
    await eventually(async () => new Set(await views()).size).toBe(1);
    const before = await views();
    await canvasOf("Version 1").focus();
    await page.keyboard.press("+");
    await eventually(async () => new Set(await views()).size).toBe(1);
    expect(await views()).not.toEqual(before);
    expect(await findAccessibilityFaults(page)).toEqual([]);

    await page.getByRole("button", { name: "Refund", exact: true }).first().click();
    await page
      .locator(".react-flow__node.selected")
      .getByRole("group", { name: /^Refund/ })
      .waitFor();
    await canvasOf("Version 1").getByRole("group", { name: /^Rest/ }).click();
    await page.getByRole("button", { name: "Rest", exact: true, pressed: true }).first().waitFor();
    await page.getByLabel("Compare", { exact: true }).selectOption({ label: "Version 2" });
    await page.getByLabel("with", { exact: true }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it("are looked at where a note is different, though no node is", async () => {
    const far = { id: "far", text: "Before", x: 4000, y: 3000, width: 240, height: 120 };
    const { organizationId, browser: ann } = flows.owner;
    const canvas = { ...first, notes: [far] };
    const { id } = await flows.app.parts.workflows.create(organizationId, { name: "Flow", canvas }, null);
    const change = { canvas: { ...first, notes: [{ ...far, text: "After" }] }, expectedVersion: 1 };
    expect((await ann.patch(`${flows.path}/workflows/${id}`, change)).status).toBe(200);
    await open(id, "?panel=versions");
    const note = canvasOf("Version 2").getByRole("group", { name: "Note: After" });
    await note.waitFor();
    const frame = await canvasOf("Version 2").boundingBox();
    const fromLeft = async () => ((await note.boundingBox())?.x ?? 0) - (frame?.x ?? 0);
    await eventually(async () => (await fromLeft()) > 0 && (await fromLeft()) < (frame?.width ?? 0)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("are opened only to look at, by keyboard, and rolled back to after a question", async () => {
    const id = await saveTwo();
    await open(id, "?panel=versions");
    await list()
      .getByRole("button", { name: /^Version 1 / })
      .focus();
    await page.keyboard.press("Enter");
    await button("Open version 1").focus();
    await page.keyboard.press("Enter");
    await canvasOf("Version 1").focus();
    await isStill();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Node Expensive?" });
    await panel.getByText("$input.total > 50").or(panel.locator("[readonly]")).first().waitFor();
    expect(await panel.locator("input:not([readonly],[disabled]), textarea:not([readonly],[disabled])").count()).toBe(
      0,
    );
    expect(await findAccessibilityFaults(page)).toEqual([]);

    await button("Roll back to version 1").click();
    await page
      .getByRole("dialog")
      .getByText(/as version 3, and is live at once/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back to version 1" }).click();
    await list()
      .getByRole("button", { name: /^Version 3 live .*Version 1 restored/ })
      .waitFor();
    expect(await published(id)).toEqual([["decide", "old", "start"], ["start>decide"]]);
    await button("Editor").click();
    await box(/^Rest/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("become the draft when that is asked for, which undo takes back", async () => {
    const id = await saveTwo();
    await open(id, "?panel=versions&to=v1");
    await button("Make version 1 the draft").click();
    await box(/^Rest/).waitFor();
    await until([["decide", "old", "start"], ["start>decide"]], () => stored(id));
    expect(await published(id)).toEqual([["decide", "refund", "start"], ["start>decide"]]);
    await page.getByText("Draft · 3 changes").waitFor();
    await button("Undo").click();
    await box(/^Refund/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("fit a telephone: the list, then the values, in dark colours too", async () => {
    const id = await saveTwo();
    await open(id, "?panel=versions", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    await list()
      .getByRole("button", { name: /^Version 1 / })
      .waitFor();
    await eventually(async () => (await rows()).length).toBe(5);
    expect(await page.locator(".react-flow").count()).toBe(0);
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("can be looked at by a viewer, and changed by none", async () => {
    const vera = await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
    const id = await saveTwo();
    await open(id, "?panel=versions&to=v1", { person: vera.browser });
    await button("Open version 1").waitFor();
    expect(await page.getByRole("button", { name: /draft|Roll back|Publish/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
