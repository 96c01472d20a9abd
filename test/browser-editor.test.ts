import { readFileSync } from "node:fs";
import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, idsOf, until } from "./support/canvas-page.ts";
import { findAccessibilityFaults } from "./support/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "./support/launch-browser.ts";
import { signUpMember } from "./support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "./support/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, button, read, stored, isStill, saysSaved } = createCanvasPage({ page: () => page, flows: () => flows });

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

type Point = { x: number; y: number };

const at = (x: number, y: number) => ({ position: { x, y } });
const placesOf = async (id: string) => Object.fromEntries((await read(id)).canvas.nodes.map(({ id: key, position }) => [key, position]));
const selectedCount = (count: number) => page.getByRole("status").filter({ hasText: `${count} nodes selected` });
const menuItem = async (name: string) => {
  await button("More about this workflow").click();
  await page.getByRole("menuitem", { name }).click();
};

async function drag(from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

/** Where nodes lie on the screen, with room around them. */
async function frameOf(...names: RegExp[]): Promise<{ from: Point; to: Point }> {
  const boxes = await Promise.all(names.map(async (name) => (await box(name).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }));
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  return { from: { x: left - 25, y: top - 25 }, to: { x: right + 25, y: bottom + 25 } };
}

describe("several nodes", () => {
  const save = () =>
    flows.save(
      [
        node("start", "start", {}, at(0, 0)),
        node("now", "system_date_time", {}, { name: "Now", ...at(320, 200) }),
        node("later", "system_date_time", {}, { name: "Later", ...at(640, 200) }),
      ],
      edges("start>now", "now>later"),
    );

  async function selectTwo(): Promise<void> {
    await isStill();
    const { from, to } = await frameOf(/^Now/, /^Later/);
    await page.keyboard.down("Shift");
    await drag(from, to);
    await page.keyboard.up("Shift");
    await selectedCount(2).waitFor();
  }

  it("are selected with a frame and moved together, which one undo takes back and one redo repeats", async () => {
    const id = await save();
    await open(id);
    await selectTwo();
    const { from, to } = await frameOf(/^Now/, /^Later/);
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    const before = await placesOf(id);
    await drag(middle, { x: middle.x - 60, y: middle.y + 100 });
    await until(true, async () => (await placesOf(id)).now?.y !== before.now?.y);
    const moved = await placesOf(id);
    const wayOf = (key: string) => [(moved[key]?.x ?? 0) - (before[key]?.x ?? 0), (moved[key]?.y ?? 0) - (before[key]?.y ?? 0)];
    expect(wayOf("start")).toEqual([0, 0]);
    expect(wayOf("now")).toEqual(wayOf("later"));
    expect(wayOf("now")[1]).toBeGreaterThan(50);

    await page.keyboard.press("Control+z");
    await until(before, () => placesOf(id));
    await page.keyboard.press("Control+y");
    await until(moved, () => placesOf(id));
    expect(complaints).toEqual([]);
  });

  it("are copied and deleted together, with the lines between them", async () => {
    const id = await save();
    const all = [
      ["later", "now", "start"],
      ["now>later", "start>now"],
    ];
    await open(id);
    await selectTwo();
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Control+v");
    await until(
      [
        ["later", "later_2", "now", "now_2", "start"],
        ["now>later", "now_2>later_2", "start>now"],
      ],
      () => stored(id),
    );
    await selectedCount(2).waitFor();
    await page.keyboard.press("Delete");
    await until(all, () => stored(id));
    await selectTwo();
    await page.keyboard.press("Delete");
    await until([["start"], []], () => stored(id));
    await page.keyboard.press("Control+z");
    await until(all, () => stored(id));
    expect(complaints).toEqual([]);
  });
});

describe("the small map", () => {
  it("is there for a large canvas, and goes where it is pressed or dragged to", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const id = await flows.save(
      ids.map((each, index) => node(each, "set_fields", { fields: { a: 1 } }, { name: each, ...at(index * 320, index * 160) })),
    );
    await open(id);
    const map = page.getByRole("img", { name: "Small map of the canvas" });
    const area = await map.boundingBox();
    if (!area) throw new Error("the small map is not shown");
    const isInView = async (name: string) => {
      const [shown, frame] = [await box(new RegExp(`^${name},`)).boundingBox(), await canvas().boundingBox()];
      if (!shown || !frame) return false;
      return shown.x >= frame.x && shown.x + shown.width <= frame.x + frame.width && shown.y >= frame.y && shown.y < frame.y + frame.height;
    };
    const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
    expect([await isInView("n0"), await isInView("n10")]).toEqual([true, false]);
    await page.mouse.click(middle.x, middle.y);
    await eventually(() => isInView("n10")).toBe(true);
    expect(await isInView("n0")).toBe(false);
    await drag(middle, { x: area.x + area.width * 0.1, y: area.y + area.height * 0.1 });
    await eventually(() => isInView("n10")).toBe(false);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await canvas().focus();
    await page.keyboard.press("m");
    await map.waitFor({ state: "detached" });
    await button("Small map").click();
    await map.waitFor();
    expect(idsOf((await read(id)).canvas)).toHaveLength(20);
    expect(complaints).toEqual([]);
  });
});

describe("the palette", () => {
  it("offers every node there is, each with its icon", async () => {
    const kindsOf = async (path: string) => ((await flows.owner.browser.get(path)).body.data as { id: string }[]).length;
    const count = (await kindsOf("/api/nodes")) + (await kindsOf("/api/engine-nodes"));
    await open(await flows.save([]));
    await button("Add the first node").click();
    const options = page.getByRole("option");
    await eventually(() => options.count()).toBe(count);
    expect(await options.filter({ has: page.locator("img, svg") }).count()).toBe(count);
    const broken = `[...document.querySelectorAll("[role=option] img")].filter((icon) => !icon.complete || icon.naturalWidth === 0).length`;
    await eventually(() => page.evaluate(broken)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("tidying up", () => {
  it("by a key puts every node into the order of the lines, none over another", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const nodes = names.map((id) => node(id, "set_fields", { fields: { a: 1 } }, at(10, 10)));
    const id = await flows.save(nodes, edges("a>b", "a>c", "b>d", "c>d", "d>e", "d>f"));
    await open(id);
    await canvas().focus();
    await page.keyboard.press("t");
    await until(6, async () => new Set(Object.values(await placesOf(id)).map((place) => JSON.stringify(place))).size);
    const places = await placesOf(id);
    const x = (key: string) => places[key]?.x ?? 0;
    for (const [left = "", right = ""] of ["ab", "ac", "bd", "cd", "de", "df"].map((pair) => [...pair]))
      expect(x(left)).toBeLessThan(x(right));
    await isStill();
    const shown = await Promise.all(names.map((key) => page.locator(`.react-flow__node[data-id="${key}"]`).boundingBox()));
    const overlaps = shown.flatMap((one, index) =>
      shown
        .slice(index + 1)
        .filter((other) => one && other && Math.abs(one.x - other.x) < one.width && Math.abs(one.y - other.y) < one.height),
    );
    expect(overlaps).toEqual([]);
    await page.keyboard.press("Control+z");
    await until({ x: 10, y: 10 }, async () => (await placesOf(id)).f);
    expect(complaints).toEqual([]);
  });
});

describe("a field of a node", () => {
  it("keeps a text that is not JSON yet while its panel is closed, and the value once it is", async () => {
    const id = await flows.save([node("shape", "system_transform_json", { expression: "1", data: { a: 1 } }, { name: "Shape" })]);
    const dataOf = async () => (await read(id)).canvas.nodes[0]?.parameters?.data;
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
    await field.fill('{"a": 2, "b": 3}');
    await until({ a: 2, b: 3 }, dataOf);
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
    const id = await flows.save([node("say", "transform", { expression: "1" }, { name: "Say", instruction: "Be short." })]);
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
