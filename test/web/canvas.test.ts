import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, idsOf, linesOf, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
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

/** The editor of a workflow, as one person sees it in a browser of their own. */
async function open(
  workflowId: string,
  options: { email?: string; search?: string; viewport?: { width: number; height: number } } = {},
): Promise<void> {
  const { email = flows.owner.email, search = "", viewport = { width: 1280, height: 800 } } = options;
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({
    baseUrl: flows.app.platformUrl,
    person,
    viewport,
    reducedMotion: "reduce",
  }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}${search}`);
  await canvas().waitFor();
  await isStill();
}

const { canvas, box, button, edited, published, saysSaved, stored, isStill } = createCanvasPage({
  page: () => page,
  flows: () => flows,
});
const field = (label: string) =>
  page.getByRole("region", { name: /^Node / }).getByRole("combobox", { name: new RegExp(`^${label}`) });
const isActive = (element: unknown) =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;
const isFocused = (label: string) => field(label).evaluate(isActive);

const expression = '{"hello": "world"}';
const threeNodes = [
  ["start", "system_date_time", "transform"],
  ["start>transform", "transform>system_date_time"],
];

describe("building", () => {
  it("takes three nodes and two lines by mouse, which are saved, published and run", async () => {
    const id = await flows.save([]);
    await open(id);
    await button("Add the first node").click();
    await page.getByRole("option", { name: /^Start / }).click();
    await box(/^Start/).waitFor();
    await button("Add a node after Start").click();
    await page.getByRole("combobox", { name: "Search nodes" }).fill("transform");
    await page.getByRole("option", { name: /^Transform Makes/ }).click();
    await page.getByRole("region", { name: "Node Transform" }).waitFor();
    await box(/^Transform/).waitFor();
    await button("Add node").click();
    await page.keyboard.press("Escape");
    await canvas().click({ position: { x: 60, y: 60 } });
    await button("Add node").click();
    await page.getByRole("combobox", { name: "Search nodes" }).fill("date");
    await page
      .getByRole("option", { name: /^System: Date and time/ })
      .dragTo(canvas(), { targetPosition: { x: 300, y: 480 } });
    await box(/^Date and time/).waitFor();
    await page.getByRole("region", { name: "Node Date and time" }).waitFor();
    await page.keyboard.press("Escape");
    await drawLine("transform", "system_date_time");
    await box(/^Transform/).click();
    await field("Expression").fill(expression);
    await until(threeNodes, () => stored(id));
    await isStill();
    const [from, to] = [await handleOf("start", "source"), await handleOf("transform", "target")];
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await button("Add a node on this connection").click();
    await page.getByText("Add between “Start” and “Transform”").waitFor();
    await page.keyboard.press("Escape");
    await saysSaved();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await published(id)).toEqual([[], []]);

    await button("Publish").click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.getByText("Published v2").waitFor();
    expect(await published(id)).toEqual(threeNodes);
    await button("Run").click();
    await page.getByRole("dialog").getByLabel("Payload, as JSON").fill('{"name": "Ann"}');
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByText(/^Succeeded after .*: 1 item came out\.$/).waitFor();
    for (const name of ["Start", "Transform", "Date and time"])
      await box(new RegExp(`^${name}, .*Succeeded, \\d+ m?s, 1 item`)).waitFor();
    expect(await page.getByRole("link", { name: "Open the run" }).getAttribute("href")).toMatch(
      /\/runs\/[0-9a-f-]{36}$/,
    );
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("takes the same by keyboard alone, with undo, redo and a list of the keys", async () => {
    const id = await flows.save([]);
    await open(id);
    await canvas().focus();
    await add("start");
    await add("transform");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Node Transform" }).waitFor();
    await tabTo("Expression");
    await page.keyboard.type(expression);
    await page.keyboard.press("Escape");
    await add("date and time", "Tab");
    await until(threeNodes, () => stored(id));

    await page.keyboard.press("Delete");
    await until(["start", "transform"], async () => idsOf(await edited(id)));
    await page.keyboard.press("Control+z");
    await until(threeNodes, () => stored(id));
    await page.keyboard.press("Control+Shift+z");
    await box(/^Date and time/).waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await box(/^Date and time/).waitFor();

    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("c");
    await page.getByRole("dialog").getByRole("combobox").fill("date");
    await page.keyboard.press("Enter");
    await until([...(threeNodes[1] as string[]), "start>system_date_time"].sort(), async () =>
      linesOf(await edited(id)),
    );

    await page.keyboard.press("e");
    await page.getByText("Connection from start to transform selected").waitFor();
    await page.keyboard.press("Delete");
    await until(["start>system_date_time", "transform>system_date_time"], async () => linesOf(await edited(id)));
    await page.keyboard.press("Control+z");
    await eventually(() => page.locator(".react-flow__edge").count()).toBe(3);

    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await until(false, () => canvas().evaluate(isActive));
    await page.keyboard.press("Shift+Tab");
    await until(true, () => canvas().evaluate(isActive));

    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys of the canvas" }).waitFor();
    await page.keyboard.press("Escape");
    await until(true, () => canvas().evaluate(isActive));
    await button("Publish").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Publish version 2" }).getByLabel("What changed, for the others").waitFor();
    await page.getByText("No problems in 3 nodes").waitFor();
    await page.keyboard.type("Built by keys");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Published v2").waitFor();
    await canvas().focus();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog", { name: "Run this workflow" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^Succeeded after /).waitFor();
    expect(complaints).toEqual([]);
  });

  it("copies nodes with their lines, within a workflow and into another", async () => {
    const nodes = [
      node("start", "start"),
      node("greet", "set_fields", { fields: { a: "$nodes.start.first" } }, { name: "Greet" }),
    ];
    const id = await flows.save(nodes, edges("start>greet"));
    const other = await flows.save([]);
    await open(id);
    await canvas().focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await until(
      [
        ["greet", "greet_2", "start", "start_2"],
        ["start>greet", "start_2>greet_2"],
      ],
      () => stored(id),
    );
    const copy = (await edited(id)).nodes.find((each) => each.id === "greet_2");
    expect([copy?.name, copy?.parameters]).toEqual(["Greet", { fields: { a: "$nodes.start_2.first" } }]);
    await page.goto(`/o/${flows.owner.organizationId}/workflows/${other}`);
    await page.getByRole("heading", { name: "What starts it?" }).waitFor();
    await canvas().focus();
    await page.keyboard.press("Control+v");
    await until([["greet", "start"], ["start>greet"]], () => stored(other));
    expect(complaints).toEqual([]);
  });
});

describe("places", () => {
  it("are kept where nodes are dragged to, tidied up on request, and brought back by undo", async () => {
    const at = (x: number, y: number) => ({ position: { x, y } });
    const nodes = [node("start", "start", {}, at(0, 0)), node("now", "system_date_time", {}, at(100, 300))];
    const id = await flows.save(nodes, edges("start>now"));
    const places = async () => (await edited(id)).nodes.map(({ position }) => [position?.x, position?.y]);
    await open(id);
    const from = await box(/^Date and time/).boundingBox();
    await page.mouse.move((from?.x ?? 0) + 100, (from?.y ?? 0) + 20);
    await page.mouse.down();
    await page.mouse.move((from?.x ?? 0) + 150, (from?.y ?? 0) + 60, { steps: 4 });
    await page.mouse.up();
    // The pointer moves a little before that counts as dragging, and places keep to a grid.
    await until([true, true], async () =>
      (await places())[1]?.map((value, index) => Math.abs((value ?? 0) - ([150, 340][index] ?? 0)) <= 10),
    );
    const dragged = await places();
    expect(await page.getByRole("region", { name: /^Node / }).count()).toBe(0);
    await button("Tidy up").click();
    await until(
      [
        [0, 0],
        [300, 0],
      ],
      places,
    );
    await button("Undo").click();
    await until(dragged, places);
    expect(complaints).toEqual([]);
  });
});

describe("running", () => {
  it("lights up the nodes one after the other, says how it stands, and can be stopped", async () => {
    const nodes = [
      node("start", "start"),
      node("pause", "wait", { milliseconds: "$trigger.payload.pause" }),
      node("now", "system_date_time"),
    ];
    await open(await flows.save(nodes, edges("start>pause", "pause>now")));
    await button("Run").click();
    await page.getByRole("dialog").getByLabel("Payload, as JSON").fill("{");
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByText(/^This is not JSON/).waitFor();
    await page.getByRole("dialog").getByLabel("Payload, as JSON").fill('{"pause": 1500}');
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByText("Waiting: 1 of 3 nodes done.").waitFor();
    await page.getByText(/^Succeeded after .*: 1 item came out\.$/).waitFor();
    await box(/^Date and time, .*Succeeded, /).waitFor();

    await button("Run").click();
    await page.getByRole("dialog").getByLabel("Payload, as JSON").fill('{"pause": 60000}');
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByText("Waiting: 1 of 3 nodes done.").waitFor();
    await box(/^Start, .*Succeeded, /).waitFor();
    await box(/^Wait, .*(Running|Waiting)/).waitFor();
    await box(/^Date and time, .*Queued$/).waitFor();
    await button("Stop").click();
    await page.getByText(/^Cancelled after /).waitFor();
    await box(/^Wait, .*Cancelled/).waitFor();
    expect(await button("Stop").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("takes the draft that is seen, while what is published stays as it is", async () => {
    const id = await flows.save([node("start", "start")]);
    await open(id);
    await box(/^Start/).click();
    await canvas().focus();
    await add("date");
    await until([["start", "system_date_time"], ["start>system_date_time"]], () => stored(id));
    await button("Run").click();
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByText(/^Succeeded after .*: 1 item came out\.$/).waitFor();
    const { data } = (await flows.owner.browser.get(`${flows.path}/runs?workflowId=${id}`)).body;
    expect(data).toMatchObject([{ executionType: "editor", workflowVersion: 0 }]);
    expect((await flows.run(id)).nodes?.map((each) => each.id)).toEqual(["start"]);
    expect(complaints).toEqual([]);
  });
});

describe("saving", () => {
  const two = () =>
    flows.save([node("start", "start"), node("now", "system_date_time", {}, { name: "Now" })], edges("start>now"));

  it("keeps what is not finished as a draft, says its problems, leads to the field, and changes nothing that runs", async () => {
    const id = await two();
    await open(id);
    await box(/^Now/).click();
    await canvas().focus();
    await add("transform");
    const pressFault = async () => {
      await button("Saved, 1 problem").click();
      await button("transform: expression is required.").click();
      await until(true, () => isFocused("Expression"));
    };
    await pressFault();
    await pressFault();
    const drawn = [
      ["now", "start", "transform"],
      ["now>transform", "start>now"],
    ];
    expect(await stored(id)).toEqual(drawn);
    expect(await published(id)).toEqual([["now", "start"], ["start>now"]]);

    await page.reload();
    await box(/^Transform, .*1 problem/).waitFor();
    expect(await page.getByText(/^Your changes from last time/).count()).toBe(0);
    await field("Expression").fill(expression);
    await saysSaved();
    expect([await stored(id), await published(id)]).toEqual([drawn, [["now", "start"], ["start>now"]]]);
    expect(complaints).toEqual([]);
  });

  it("brings back what could not reach the server before the page was left", async () => {
    const id = await two();
    await open(id);
    await page.route(`**/workflows/${id}`, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.continue(),
    );
    await box(/^Now/).click();
    await canvas().focus();
    await page.keyboard.press("Control+d");
    await page.getByText("Not saved, trying again").waitFor();
    await page.reload();
    await page.getByText(/^Your changes from last time/).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await until([["now", "now_2", "start"], ["start>now"]], () => stored(id));
    await saysSaved();
    await page.reload();
    await saysSaved();
    expect(await page.getByText(/^Your changes from last time/).count()).toBe(0);
  });

  it("goes on by itself when the server is back, and does not wait when the page is left", async () => {
    const id = await two();
    await open(id);
    await page.context().setOffline(true);
    await box(/^Now/).click();
    await canvas().focus();
    await page.keyboard.press("Control+d");
    await page.getByText("Not saved, trying again").waitFor();
    await page.context().setOffline(false);
    await until([["now", "now_2", "start"], ["start>now"]], () => stored(id));
    await saysSaved();
    await page.keyboard.press("Delete");
    await page.getByRole("link", { name: "Members" }).click();
    await until([["now", "start"], ["start>now"]], () => stored(id));
  });
});

describe("looking", () => {
  it("is all a viewer can do", async () => {
    const id = await flows.save([node("start", "start"), node("now", "system_date_time")], edges("start>now"));
    await open(id, { email: "vera@example.com" });
    await box(/^Date and time/).click();
    await page.getByRole("region", { name: "Node Date and time" }).waitFor();
    for (const name of ["Run", "Add node", "Delete", "Duplicate", "Tidy up", "Undo"])
      expect(await button(name).count()).toBe(0);
    await canvas().focus();
    await page.keyboard.press("Delete");
    await page.keyboard.press("n");
    expect([
      await box(/^Date and time/).count(),
      await page.getByRole("combobox", { name: "Search nodes" }).count(),
    ]).toEqual([1, 0]);
    expect(await page.locator(".react-flow__node.draggable").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const vera = await signIn(flows.app, "vera@example.com");
    expect((await vera.browser.patch(`${flows.path}/workflows/${id}`, { name: "Mine" })).status).toBe(403);
    expect(complaints).toEqual([]);
  });

  it("fits a telephone: pan, zoom, and a node's panel in place of the canvas", async () => {
    const id = await flows.save([node("start", "start"), node("now", "system_date_time")], edges("start>now"));
    await open(id, { viewport: { width: 390, height: 844 } });
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await page.locator(".react-flow__node.draggable").count()).toBe(0);
    await button("Zoom in").click();
    await box(/^Start/).click();
    await page.getByRole("region", { name: "Node Start" }).waitFor();
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** The middle of the way out of a node, or of the way into it. */
async function handleOf(id: string, kind: "source" | "target"): Promise<{ x: number; y: number }> {
  const shown = await page.locator(`.react-flow__node[data-id="${id}"] .react-flow__handle.${kind}`).boundingBox();
  if (!shown) throw new Error(`the node ${id} is not shown`);
  return { x: shown.x + shown.width / 2, y: shown.y + shown.height / 2 };
}

async function drawLine(source: string, target: string): Promise<void> {
  await isStill();
  const [from, to] = [await handleOf(source, "source"), await handleOf(target, "target")];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x - 30, to.y, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

async function tabTo(label: string): Promise<void> {
  await field(label).waitFor();
  for (let stops = 0; stops < 30; stops++) {
    if (await isFocused(label)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The Tab key does not lead to ${label}`);
}

async function add(name: string, key = "n"): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole("combobox", { name: "Search nodes" }).waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page
    .locator(".react-flow__node.selected")
    .getByRole("group", { name: new RegExp(`^${name}`, "i") })
    .waitFor();
}
