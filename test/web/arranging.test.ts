import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage, idsOf, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, button, edited, stored, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(workflowId: string): Promise<void> {
  const options = {
    baseUrl: flows.app.platformUrl,
    person: flows.owner.browser,
    viewport: { width: 1280, height: 800 },
  };
  ({ page, complaints } = await browser.open({ ...options, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

type Point = { x: number; y: number };

const at = (x: number, y: number) => ({ position: { x, y } });
const placesOf = async (id: string) =>
  Object.fromEntries((await edited(id)).nodes.map(({ id: key, position }) => [key, position]));
const selectedCount = (count: number) => page.getByRole("status").filter({ hasText: `${count} nodes selected` });

async function drag(from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

/** Where nodes lie on the screen, with room around them. */
async function frameOf(...names: RegExp[]): Promise<{ from: Point; to: Point }> {
  const boxes = await Promise.all(
    names.map(async (name) => (await box(name).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }),
  );
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

  const all = [
    ["later", "now", "start"],
    ["now>later", "start>now"],
  ];
  const selectedBox = (name: RegExp) => page.locator(".react-flow__node.selected").getByRole("group", { name });

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
    const wayOf = (key: string) => [
      (moved[key]?.x ?? 0) - (before[key]?.x ?? 0),
      (moved[key]?.y ?? 0) - (before[key]?.y ?? 0),
    ];
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

  it("are cut with the lines between them and pasted again, and two undos bring everything back", async () => {
    const id = await save();
    await open(id);
    await selectTwo();
    await page.keyboard.press("Control+x");
    await until([["start"], []], () => stored(id));
    await page.keyboard.press("Control+v");
    await until([["later", "now", "start"], ["now>later"]], () => stored(id));
    await page.keyboard.press("Control+z");
    await until([["start"], []], () => stored(id));
    await page.keyboard.press("Control+z");
    await until(all, () => stored(id));
    expect(complaints).toEqual([]);
  });

  it("are selected by keyboard alone, and by pressing one after the other", async () => {
    const id = await save();
    await open(id);
    await canvas().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await selectedBox(/^Now/).waitFor();
    await page.keyboard.press("Control+ArrowRight");
    await selectedCount(2).waitFor();
    await selectedBox(/^Later/).waitFor();
    await page.keyboard.press("Delete");
    await until([["start"], []], () => stored(id));
    await page.keyboard.press("Control+z");
    await until(all, () => stored(id));

    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
    await isStill();
    for (const name of [/^Start/, /^Later/]) await box(name).click({ modifiers: ["Control"] });
    await selectedCount(2).waitFor();
    expect(await page.getByRole("region", { name: /^Node / }).count()).toBe(0);
    await page.keyboard.press("Delete");
    await until([["now"], []], () => stored(id));
    expect(complaints).toEqual([]);
  });
});

describe("the small map", () => {
  it("is there for a large canvas, and goes where it is pressed or dragged to", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `n${index}`);
    const id = await flows.save(
      ids.map((each, index) =>
        node(each, "set_fields", { fields: { a: 1 } }, { name: each, ...at(index * 320, index * 160) }),
      ),
    );
    await open(id);
    const map = page.getByRole("img", { name: "Small map of the canvas" });
    const area = await map.boundingBox();
    if (!area) throw new Error("the small map is not shown");
    const isInView = async (name: string) => {
      const [shown, frame] = [await box(new RegExp(`^${name},`)).boundingBox(), await canvas().boundingBox()];
      if (!shown || !frame) return false;
      return (
        shown.x >= frame.x &&
        shown.x + shown.width <= frame.x + frame.width &&
        shown.y >= frame.y &&
        shown.y < frame.y + frame.height
      );
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
    expect(idsOf(await edited(id))).toHaveLength(20);
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
    const shown = await Promise.all(
      names.map((key) => page.locator(`.react-flow__node[data-id="${key}"]`).boundingBox()),
    );
    const overlaps = shown.flatMap((one, index) =>
      shown
        .slice(index + 1)
        .filter(
          (other) => one && other && Math.abs(one.x - other.x) < one.width && Math.abs(one.y - other.y) < one.height,
        ),
    );
    expect(overlaps).toEqual([]);
    await page.keyboard.press("Control+z");
    await until({ x: 10, y: 10 }, async () => (await placesOf(id)).f);
    expect(complaints).toEqual([]);
  });
});
