import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
let ben: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  flows = await startWorkflowApp();
  ben = await signUpMember(flows.app, flows.owner.organizationId, "Ben", "member");
});
afterAll(() => flows?.stop());

const wide = { width: 1280, height: 800 };

async function open(workflowId: string, viewport = wide): Promise<void> {
  const { browser: person } = await signIn(flows.app, flows.owner.email);
  const baseUrl = flows.app.platformUrl;
  ({ page, complaints } = await browser.open({ baseUrl, person, viewport, isExpected, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

// The browser itself reports the status by which the page learns that somebody else saved.
const isExpected = (message: ConsoleMessage) => message.text().includes("409 (Conflict)");

const { canvas, box, button, read, saysSaved, stored, published, isStill } = createCanvasPage({
  page: () => page,
  flows: () => flows,
});
const path = (id: string) => `${flows.path}/workflows/${id}`;
const draftOf = async (id: string) => (await flows.owner.browser.get(`${path(id)}/draft`)).body;
const dialog = () => page.getByRole("dialog");
const live = [["now", "start"], ["start>now"]];
const saysSavedWithProblem = () => button("Saved, 1 problem").waitFor();
const broken = { status: 500, code: "internal", detail: "The database does not answer." };

const two = () => [node("start", "start"), node("now", "system_date_time", {}, { name: "Now" })];
const save = () => flows.save(two(), edges("start>now"), "Flow");

async function saveWithDraft(): Promise<string> {
  const id = await save();
  const later = node("later", "set_fields", { fields: { a: 1 } }, { name: "Later" });
  const nodes = [...two(), later, node("wait", "no_such_node", {}, { name: "Wrong" })];
  const canvas = { nodes, edges: edges("start>now", "now>wait") };
  await flows.owner.browser.patch(path(id), { canvas, expectedVersion: 1, publish: false });
  return id;
}

async function removeNow(): Promise<void> {
  await box(/^Now/).click();
  await canvas().focus();
  await page.keyboard.press("Delete");
}

describe("a draft", () => {
  it("is edited beside what is live, leads to what hinders publishing, and is published with a note when it is gone", async () => {
    const id = await saveWithDraft();
    await open(id);
    await page.getByText("v1 is live").waitFor();
    await button("Draft · 2 changes").click();
    await page.getByText("Later new node").waitFor();
    await page.keyboard.press("Escape");

    await button("Publish").click();
    await dialog().getByText("1 problem to mend first").waitFor();
    expect(await dialog().getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog()
      .getByRole("button", { name: /^Wrong: nodeId is neither the name of a tool/ })
      .click();
    await page.getByRole("region", { name: "Node Wrong" }).waitFor();
    await canvas().focus();
    await page.keyboard.press("Delete");
    await until(0, async () => (await draftOf(id)).faultCount);
    await saysSaved();
    expect(await published(id)).toEqual(live);

    await button("Publish").click();
    await dialog().getByText("It replaces version 1 for every call with a key.").waitFor();
    await page.keyboard.type("Adds what comes later");
    await dialog().getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published v2").waitFor();
    await box(/^Later/).waitFor();
    expect(await published(id)).toEqual([["later", "now", "start"], ["start>now"]]);
    const { body } = await flows.owner.browser.get(`${path(id)}/versions`);
    expect(body.data[0]).toMatchObject({ version: 2, note: "Adds what comes later", createdByName: "Ann" });
    expect(complaints).toEqual([]);
  });

  it("keeps its number of changes in the bar while a save is compared", async () => {
    await open(await saveWithDraft());
    await button("Draft · 2 changes").waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/compare/**", async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest("**/compare/**");
    await removeNow();
    await asked;
    expect(await button("Draft · 2 changes").count()).toBe(1);
    answer();
    await button("Draft · 3 changes").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says in the place of the changes why they cannot be shown, and tries again", async () => {
    const id = await saveWithDraft();
    const refused = { status: 500, contentType: "application/problem+json", body: JSON.stringify(broken) };
    await open(id);
    await button("Draft · 2 changes").waitFor();
    await page.route("**/compare/**", (route) => route.fulfill(refused));
    await page.route("**/workflows/check", (route) => route.fulfill(refused));
    await removeNow();
    await saysSavedWithProblem();
    await button("Publish").click();
    await eventually(() => dialog().getByText("The database does not answer.").count()).toBe(2);
    expect(await dialog().getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.unrouteAll();
    await dialog().getByRole("button", { name: "Try again" }).first().click();
    await dialog().getByText("3 changes").waitFor();
    await dialog().getByRole("button", { name: "Try again" }).click();
    await dialog().getByText("1 problem to mend first").waitFor();
  });

  it("says when it is published that pinned data is not", async () => {
    const id = await saveWithDraft();
    await open(id);
    await button("Publish").click();
    await dialog().getByText("1 problem to mend first").waitFor();
    expect(await dialog().getByText("pinned data").count()).toBe(0);
    for (const nodeId of ["now", "later"])
      await flows.owner.browser.send("PUT", `${path(id)}/draft/pins/${nodeId}`, { outputs: { out: [{ a: 1 }] } });
    await page.reload();
    await button("Publish").click();
    await dialog().getByText("2 nodes have pinned data; a published run never uses it.").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("is discarded after a question, and what is live is edited again", async () => {
    const id = await saveWithDraft();
    await open(id, { width: 390, height: 800 });
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Draft · 2 changes").click();
    expect(await sidewaysScrolling(page)).toBe(0);
    await button("Discard the draft").click();
    await dialog().getByRole("button", { name: "Discard the draft" }).click();
    await page.getByText("Published v1").waitFor();
    await box(/^Later/).waitFor({ state: "detached" });
    expect((await flows.owner.browser.get(`${path(id)}/draft`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  it("is what a new workflow begins as: off, never published, and turned on with its first version", async () => {
    const { browser: person } = await signIn(flows.app, flows.owner.email);
    const baseUrl = flows.app.platformUrl;
    ({ page, complaints } = await browser.open({ baseUrl, person, viewport: wide, reducedMotion: "reduce" }));
    await page.goto(`/o/${flows.owner.organizationId}/workflows?create=new`);
    await dialog().getByLabel("Name", { exact: true }).fill("Begun here");
    await dialog().getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}$/);
    await page.getByText("Never published").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    expect(await read(id)).toMatchObject({ version: 0, isActive: false });
    await button("Add the first node").click();
    await page.getByRole("option", { name: /^Start / }).click();
    await until([["start"], []], () => stored(id));
    expect((await flows.trigger(id)).status).toBe(409);

    await button("Run").click();
    await dialog().getByRole("button", { name: "Run" }).click();
    await page.getByText(/^Succeeded after /).waitFor();
    expect(await read(id)).toMatchObject({ version: 0, isActive: false });
    await button("Publish").click();
    expect(await dialog().getByLabel("Turn the workflow on").isChecked()).toBe(true);
    await dialog().getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published v1").waitFor();
    expect(await read(id)).toMatchObject({ version: 1, isActive: true });
    expect((await flows.run(id)).status).toBe("succeeded");
    expect(complaints).toEqual([]);
  });

  it("is published over a version that came since only when that is said", async () => {
    const id = await saveWithDraft();
    await flows.owner.browser.patch(path(id), { canvas: { nodes: two(), edges: [] }, expectedVersion: 1 });
    const draft = { nodes: [...two(), node("later", "start", {}, { name: "Later" })], edges: [] };
    await flows.owner.browser.patch(path(id), { canvas: draft, expectedVersion: 2, expectedDraft: 1, publish: false });
    await flows.owner.browser.patch(path(id), { canvas: { nodes: [], edges: [] }, expectedVersion: 2 });
    await open(id);
    await button("Publish").click();
    await dialog().getByText("Version 3 was published after this draft was begun.").waitFor();
    await dialog().getByRole("button", { name: "Publish over version 3" }).click();
    await page.getByText("Published v4").waitFor();
    expect(await published(id)).toEqual([["later", "now", "start"], []]);
    expect(complaints).toEqual([]);
  });
});

describe("two people at the same draft", () => {
  const theirs = { nodes: [node("theirs", "start", {}, { name: "Theirs" })], edges: [] };
  const byName = async (name: string) =>
    (await flows.owner.browser.get(`${flows.path}/workflows?search=${encodeURIComponent(name)}`)).body.data[0];

  it("are told who saved, and what is not gone on with becomes a workflow of its own", async () => {
    const id = await save();
    await open(id);
    await ben.browser.patch(path(id), { canvas: theirs, expectedVersion: 1, publish: false });
    await removeNow();
    await page.getByText(/^Ben saved this draft at /).waitFor();
    expect(await stored(id)).toEqual([["theirs"], []]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Keep mine").click();
    await page.getByRole("link", { name: "Flow (changes of Ben)" }).waitFor();
    await until([["start"], []], () => stored(id));
    expect(await stored((await byName("changes of Ben")).id)).toEqual([["theirs"], []]);

    const { draft } = await read(id);
    await ben.browser.patch(path(id), {
      canvas: theirs,
      expectedVersion: 1,
      expectedDraft: draft?.revision,
      publish: false,
    });
    await button("All right").click();
    await canvas().focus();
    await page.keyboard.press("Control+z");
    await button("Take theirs").click();
    await box(/^Theirs/).waitFor();
    await page.getByRole("link", { name: "Flow (changes of Ann)" }).waitFor();
    expect(await stored(id)).toEqual([["theirs"], []]);
    expect(await stored((await byName("changes of Ann")).id)).toEqual(live);
    await saysSaved();
    expect(await published(id)).toEqual(live);
    expect(complaints).toEqual([]);
  });

  it("are told of a version that was published meanwhile, and go on with either", async () => {
    const id = await save();
    await open(id);
    await ben.browser.patch(path(id), { canvas: theirs, expectedVersion: 1 });
    await removeNow();
    await page.getByText(/^Version 2 was published meanwhile\./).waitFor();
    await button("Keep mine").click();
    await until([["start"], []], () => stored(id));
    expect(await published(id)).toEqual([["theirs"], []]);
    await eventually(() => button("Keep mine").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
