import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(workflowId: string, viewport = { width: 1280, height: 800 }): Promise<void> {
  const { browser: person } = await signIn(flows.app, flows.owner.email);
  const baseUrl = flows.app.platformUrl;
  ({ page, complaints } = await browser.open({ baseUrl, person, viewport, isExpected, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

// The browser itself reports the status of a draft that is refused.
const isExpected = (message: ConsoleMessage) => message.text().includes("400 (Bad Request)");

const { canvas, box, button, saysSaved, stored, isStill } = createCanvasPage({ page: () => page, flows: () => flows });
const path = (id: string) => `${flows.path}/workflows/${id}`;
const draftOf = async (id: string) => (await flows.owner.browser.get(`${path(id)}/draft`)).body;
const published = [["now", "start"], ["start>now"]];

async function saveWithDraft(): Promise<string> {
  const now = node("now", "system_date_time", {}, { name: "Now" });
  const id = await flows.save([node("start", "start"), now], edges("start>now"));
  const later = node("later", "set_fields", { fields: { a: 1 } }, { name: "Later" });
  const nodes = [node("start", "start"), now, later, node("wait", "no_such_node", {}, { name: "Wrong" })];
  const canvas = { nodes, edges: edges("start>now", "now>wait") };
  await flows.owner.browser.patch(path(id), { canvas, expectedVersion: 1, publish: false });
  return id;
}

it("edits a draft beside what is live, refuses to publish its faults, and publishes it when they are gone", async () => {
  const id = await saveWithDraft();
  await open(id);
  await page.getByText("Draft · 3 changes").waitFor();
  await page.getByText("v1 is live").waitFor();
  await button("Compare").click();
  await page.getByText("Added Wrong.").waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await button("Publish").click();
  await page
    .getByText(/is neither the name of a tool nor of a built-in node/)
    .first()
    .waitFor();
  expect(await stored(id)).toEqual(published);

  await box(/^Wrong/).click();
  await canvas().focus();
  await page.keyboard.press("Delete");
  await until(0, async () => (await draftOf(id)).faultCount);
  await saysSaved();
  expect(await stored(id)).toEqual(published);
  await button("Publish").click();
  await page.getByText("Published v2").waitFor();
  await box(/^Later/).waitFor();
  expect(await stored(id)).toEqual([["later", "now", "start"], ["start>now"]]);
  expect(complaints).toEqual([]);
});

it("asks before a draft is published over a version that came since, and keeps the draft when one is restored", async () => {
  const id = await saveWithDraft();
  const nodes = [node("start", "start"), node("now", "system_date_time")];
  await flows.owner.browser.patch(path(id), { canvas: { nodes, edges: [] }, expectedVersion: 1 });
  const later = node("later", "start", {}, { name: "Later" });
  const draft = { nodes: [...nodes, later], edges: [] };
  await flows.owner.browser.patch(path(id), { canvas: draft, expectedVersion: 2, expectedDraft: 1, publish: false });
  await open(id);
  await page.getByText("Draft · 1 change").waitFor();
  await button("Versions").click();
  await page.getByText("Ann, ").first().waitFor();
  await button("Restore").click();
  await page.getByText("v3 is live").waitFor();
  await box(/^Later/).waitFor();
  await button("Publish").click();
  await page.getByText("Publish over version 3?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Publish the draft" }).click();
  await page.getByText("Published v4").waitFor();
  expect(await stored(id)).toEqual([["later", "now", "start"], []]);
  expect(complaints).toEqual([]);
});

it("discards a draft, and shows what is live again", async () => {
  const id = await saveWithDraft();
  await open(id, { width: 390, height: 800 });
  await page.getByText("Draft · 3 changes").waitFor();
  expect(await sidewaysScrolling(page)).toBe(0);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await button("Discard").click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard the draft" }).click();
  await page.getByText("Published v1").waitFor();
  expect((await flows.owner.browser.get(`${path(id)}/draft`)).status).toBe(404);
  expect(complaints).toEqual([]);
});
