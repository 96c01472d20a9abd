import type { BrowserContextOptions, ConsoleMessage, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
let orderId: string;

beforeAll(async () => {
  flows = await startWorkflowApp();
  const made = '[{ "id": "NW-20417", "total": 480, "customer": { "name": "Mia" } }, { "id": "NW-20418", "total": 20 }]';
  orderId = await flows.save(
    [
      node("order", "transform", { expression: made, over: "list" }, { name: "Order", position: { x: 0, y: 0 } }),
      node("say", "set_fields", { fields: { text: "Hello" } }, { name: "Say", position: { x: 300, y: 0 } }),
      node("end", "set_fields", { fields: { done: true } }, { name: "End", position: { x: 600, y: 0 } }),
    ],
    edges("order>say", "say>end"),
    "Answer a mail",
  );
  await flows.run(orderId, {});
});
afterAll(() => flows?.stop());

// The browser itself reports the status of a run that is refused.
const isExpected = (message: ConsoleMessage) => message.text().includes("400 (Bad Request)");
const wide = { width: 1440, height: 900 };
const telephone = { width: 390, height: 844 };

async function open(search: string, options: BrowserContextOptions = {}, workflowId = orderId): Promise<void> {
  const { browser: person } = await signIn(flows.app, flows.owner.email);
  const common = {
    baseUrl: flows.app.platformUrl,
    person,
    isExpected,
    viewport: wide,
    reducedMotion: "reduce",
  } as const;
  ({ page, complaints } = await browser.open({ ...common, ...options }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}${search}`);
  await canvas().waitFor();
  await isStill();
}

const { canvas, box, button, isStill } = createCanvasPage({ page: () => page, flows: () => flows });
const panel = () => page.getByRole("region", { name: /^Node / });
const pane = (name: "Incoming data" | "Form" | "Output") => panel().getByRole("region", { name, exact: true });
const grip = (name: string) => page.getByRole("separator", { name });
const tab = (name: string) => panel().getByRole("tab", { name });

async function areaOf(what: Locator) {
  const area = await what.boundingBox();
  if (!area) throw new Error("It is not shown.");
  return area;
}
const widthOf = async (what: Locator) => Math.round((await areaOf(what)).width);
type InPage = {
  document: { activeElement: unknown };
  getComputedStyle: (element: unknown) => { backgroundColor: string };
};
const colourOf = (what: Locator) =>
  what.evaluate((element) => (globalThis as unknown as InPage).getComputedStyle(element).backgroundColor);
const hasFocus = (what: Locator) =>
  what.evaluate((element) => element === (globalThis as unknown as InPage).document.activeElement);

async function drag(what: Locator, dx: number, dy: number): Promise<void> {
  const { x, y, width, height } = await areaOf(what);
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + dx / 2, y + height / 2 + dy / 2);
  await page.mouse.move(x + width / 2 + dx, y + height / 2 + dy);
  await page.mouse.up();
}

const looks: [string, BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["1280", { viewport: { width: 1280, height: 800 } }],
];

describe("the panes of a node", () => {
  it.each(looks)("are all there below the canvas, the form with the lighter colour (%s)", async (_, options) => {
    await open("?node=say", options);
    const [left, middle, right] = [pane("Incoming data"), pane("Form"), pane("Output")];
    await left.getByRole("heading", { name: "From Order 2 items" }).waitFor();
    await middle
      .getByRole("combobox", { name: /^Text|text/ })
      .first()
      .waitFor();
    await right.getByText("There is no run to show.").waitFor();
    const areas = await Promise.all([left, middle, right].map(areaOf));
    expect(areas.map(({ x }) => x)).toEqual(areas.map(({ x }) => x).toSorted((one, other) => one - other));
    const below = await areaOf(canvas());
    for (const { y } of areas) expect(y).toBeGreaterThan(below.y + below.height);
    expect(await colourOf(left)).toBe(await colourOf(right));
    expect(await colourOf(left)).not.toBe(await colourOf(page.locator("header").first()));
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("get other sizes by mouse and by keyboard, which this browser keeps for the person", async () => {
    await open("?node=say");
    const before = await widthOf(pane("Incoming data"));
    await drag(grip("Width of the incoming data"), 100, 0);
    await eventually(() => widthOf(pane("Incoming data"))).toBeGreaterThan(before + 80);
    const output = await widthOf(pane("Output"));
    await grip("Width of the output").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await eventually(() => widthOf(pane("Output"))).toBeGreaterThan(output + 40);
    const height = (await areaOf(panel())).height;
    await drag(grip("Height of the panel"), 0, -80);
    await eventually(async () => (await areaOf(panel())).height).toBeGreaterThan(height + 60);
    const kept = [await widthOf(pane("Incoming data")), await widthOf(pane("Output")), (await areaOf(panel())).height];
    await page.reload();
    await panel().waitFor();
    await isStill();
    expect([
      await widthOf(pane("Incoming data")),
      await widthOf(pane("Output")),
      (await areaOf(panel())).height,
    ]).toEqual(kept);
    await grip("Width of the incoming data").press("Enter");
    await eventually(() => widthOf(pane("Incoming data"))).toBe(before);
    await grip("Width of the incoming data").press("Home");
    await eventually(() => grip("Width of the incoming data").getAttribute("aria-valuenow")).toBe("15");
    expect(complaints).toEqual([]);
  });

  it("stand on the right when somebody wants that, between 420 and 900 pixels wide, and as tabs where that is too narrow", async () => {
    await open("?node=say");
    await button("Dock the panel right").click();
    const beside = await areaOf(canvas());
    expect((await areaOf(panel())).x).toBeGreaterThanOrEqual(beside.x + beside.width);
    await pane("Output").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await grip("Width of the panel").focus();
    await page.keyboard.press("Home");
    await eventually(() => widthOf(panel())).toBeLessThanOrEqual(420);
    await tab("Incoming").click();
    await panel().getByRole("heading", { name: "From Order 2 items" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await grip("Width of the panel").press("End");
    await eventually(() => widthOf(panel())).toBe(899);
    await page.reload();
    await eventually(() => widthOf(panel())).toBe(899);
    await button("Dock the panel below").click();
    await eventually(async () => (await areaOf(panel())).x).toBe((await areaOf(canvas())).x);
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "are tabs of a sheet on a telephone, with Run step at the thumb (%s)",
    async (colorScheme) => {
      await open("?node=say", { viewport: telephone, colorScheme });
      await box(/^Say/).waitFor();
      const sheet = await areaOf(panel());
      expect((await areaOf(canvas())).height).toBeGreaterThan(60);
      const run = await areaOf(panel().getByRole("button", { name: "Run step" }));
      expect(run.height).toBeGreaterThanOrEqual(44);
      expect(run.y + run.height).toBeGreaterThan(sheet.y + sheet.height - 24);
      for (const name of ["Incoming", "Form", "Output", "Settings"]) {
        await tab(name).click();
        expect(await sidewaysScrolling(page)).toBe(0);
        expect(await findAccessibilityFaults(page)).toEqual([]);
      }
      await panel().getByRole("button", { name: "Run step" }).click();
      await panel().getByRole("tabpanel", { name: "Output" }).getByText("Hello").first().waitFor();
      expect(await tab("Output").getAttribute("aria-selected")).toBe("true");
      expect(complaints).toEqual([]);
    },
  );
});

describe("the data that comes in", () => {
  it("is shown as a table, JSON and fields, and stays as somebody likes it", async () => {
    await open("?node=say");
    const left = pane("Incoming data");
    await left.getByRole("button", { name: "total", exact: true }).waitFor();
    await left.getByRole("button", { name: "Table" }).click();
    await left.getByRole("cell", { name: "NW-20418" }).waitFor();
    await page.reload();
    await left.getByRole("cell", { name: "NW-20418" }).waitFor();
    await left.getByRole("button", { name: "JSON" }).click();
    await left.getByText('"NW-20417"').waitFor();
    expect(complaints).toEqual([]);
  });

  it("goes into the form where it is pressed or dropped, each field with its reference", async () => {
    await open("?node=say");
    const text = pane("Form").getByRole("combobox").first();
    await text.fill("");
    await pane("Incoming data").getByRole("button", { name: "total", exact: true }).click();
    await eventually(() => text.inputValue()).toBe("{{ $input.total }}");
    expect(await hasFocus(text)).toBe(true);
    await text.fill("");
    await pane("Incoming data").getByRole("button", { name: "name", exact: true }).dragTo(text);
    await eventually(() => text.inputValue()).toBe("{{ $input.customer.name }}");
    expect(complaints).toEqual([]);
  });

  it("comes from pinned data first, from a run, or from what the nodes before promise", async () => {
    const id = await flows.save(
      [
        node("now", "system_date_time", {}, { name: "Now", position: { x: 0, y: 0 } }),
        node("say", "set_fields", { fields: { text: "" } }, { name: "Say", position: { x: 300, y: 0 } }),
      ],
      edges("now>say"),
    );
    await open("?node=say", {}, id);
    const sample = pane("Incoming data").getByRole("combobox", { name: "Sample" });
    expect(await sample.locator("option").allTextContents()).toEqual(["Fields the nodes before promise"]);
    expect(await pane("Incoming data").getByRole("button", { name: "Table" }).isDisabled()).toBe(true);
    await flows.owner.browser.send("PUT", `${flows.path}/workflows/${id}/draft/pins/$trigger`, {
      outputs: { out: [{ source: "manual", sender: null, prompt: "", payload: {} }] },
    });
    await page.reload();
    await eventually(() => sample.locator("option").allTextContents()).toEqual([
      "Pinned trigger data",
      "Fields the nodes before promise",
    ]);
    await flows.owner.browser.send("PUT", `${flows.path}/workflows/${id}/draft/pins/now`, {
      outputs: { out: [{ iso: "pinned moment" }] },
    });
    await flows.run(id, {});
    await page.reload();
    await eventually(() => sample.locator("option").allTextContents()).toEqual([
      "Pinned data",
      "Last run",
      "Fields the nodes before promise",
    ]);
    await pane("Incoming data").getByText("pinned moment").waitFor();
    await sample.selectOption("Last run");
    await eventually(() => pane("Incoming data").getByText("pinned moment").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("keys of the panel", () => {
  it("walk from pane to pane and back, close it, and give the focus back to the node", async () => {
    await open("?node=say");
    await canvas().focus();
    for (const name of ["Incoming data", "Form", "Output"] as const) {
      await page.keyboard.press("F6");
      await eventually(() => hasFocus(pane(name))).toBe(true);
    }
    await page.keyboard.press("Shift+F6");
    await eventually(() => hasFocus(pane("Form"))).toBe(true);
    await page.keyboard.press("F6");
    await page.keyboard.press("F6");
    await eventually(() => hasFocus(canvas())).toBe(true);
    await page.keyboard.press("F6");
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    expect(await hasFocus(canvas())).toBe(true);
    expect(await canvas().getAttribute("aria-activedescendant")).toBe("canvas-node-say");
    expect(complaints).toEqual([]);
  });

  it("open another node in place of the one that is open, and the list of nodes from wherever one is", async () => {
    await open("?node=say");
    await canvas().focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await eventually(() => new URL(page.url()).searchParams.get("node")).not.toBe("say");
    const named = `document.activeElement.matches("body") ? "" : document.activeElement.querySelector("section")?.ariaLabel`;
    await eventually(() => page.evaluate(named)).toMatch(/^Node /);
    await page.keyboard.press("/");
    await panel().waitFor({ state: "detached" });
    await eventually(() => page.evaluate("document.activeElement.role")).toBe("combobox");
    expect(complaints).toEqual([]);
  });

  it("walk over tabs where the panes are tabs", async () => {
    await open("?node=say", { viewport: { width: 1000, height: 800 } });
    await canvas().focus();
    for (const name of ["Incoming", "Form", "Output"]) {
      await page.keyboard.press("F6");
      await eventually(() => tab(name).getAttribute("aria-selected")).toBe("true");
    }
    await page.keyboard.press("F6");
    await eventually(() => hasFocus(canvas())).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("run the step, run to here, and pin what came out, in the panel and on the canvas", async () => {
    await open("?node=end");
    await pane("Form").focus();
    const before = page.url();
    await page.keyboard.press("Shift+Enter");
    await page.waitForURL((address) => address.href !== before);
    await box(/^Order, .*Succeeded/).waitFor();
    const toHere = page.url();
    await page.keyboard.press("Control+Enter");
    await page.waitForURL((address) => address.href !== toHere);
    await pane("Output").getByRole("cell", { name: "true" }).first().waitFor();
    await panel().getByLabel("Name of the node").press("End");
    await page.keyboard.press("p");
    expect(await panel().getByLabel("Name of the node").inputValue()).toBe("Endp");
    await page.keyboard.press("Backspace");
    await pane("Output").focus();
    await page.keyboard.press("p");
    await pane("Output").getByText("Pinned", { exact: true }).waitFor();
    await box(/^Say/).click();
    await canvas().focus();
    await page.keyboard.press("p");
    await box(/^Say/).getByText("Pinned").waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("a node that was just added", () => {
  async function add(): Promise<void> {
    await open("", {}, await flows.save([node("start", "start", {}, { position: { x: 0, y: 0 } })]));
    await canvas().focus();
    await page.keyboard.press("n");
    await page.getByRole("combobox", { name: "Search nodes" }).fill("transform");
    await page.getByRole("option", { name: /^Transform Makes/ }).click();
    await button("Saved, 1 problem").waitFor();
    expect(await pane("Form").getByText("is required").count()).toBe(0);
  }

  it("says what a field misses once somebody was in it", async () => {
    await add();
    await pane("Form").getByRole("combobox", { name: "Expression" }).focus();
    expect(await pane("Form").getByText("is required").count()).toBe(0);
    await page.keyboard.press("F6");
    await pane("Form").getByText("Expression is required").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says it once somebody tried to run it", async () => {
    await add();
    await pane("Form").getByRole("button", { name: "Run step" }).click();
    await pane("Form").getByText("Expression is required").waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("the view of a canvas with triggers", () => {
  const names = ["Order", "Say", "End"];
  const cards = ["Shop form", "Morning"];

  async function seen(): Promise<string[]> {
    const frame = await areaOf(canvas());
    const all = [
      ...cards.map((name) => [name, page.getByRole("button", { name: new RegExp(`^Trigger ${name}`) })] as const),
      ...names.map((name) => [name, box(new RegExp(`^${name},`))] as const),
    ];
    const areas = await Promise.all(all.map(async ([name, what]) => [name, await what.boundingBox()] as const));
    return areas.flatMap(([name, area]) =>
      area &&
      area.x >= frame.x &&
      area.x + area.width <= frame.x + frame.width &&
      area.y >= frame.y &&
      area.y + area.height <= frame.y + frame.height
        ? [name]
        : [],
    );
  }

  it.each(["below", "right"])("keeps the cards when a panel opens, gets another size and closes (%s)", async (side) => {
    const create = (request: object) =>
      flows.owner.browser.post(`${flows.path}/triggers`, { workflowId: orderId, ...request });
    await flows.app.database.query("DELETE FROM trigger");
    await create({ kind: "webhook", name: "Shop form", signature: "none" });
    await create({ kind: "schedule", name: "Morning", cron: "0 9 * * *", timeZone: "UTC", active: false });
    await open("");
    await page.getByRole("button", { name: /^Trigger Morning/ }).waitFor();
    await eventually(seen).toEqual([...cards, ...names]);
    await box(/^Order,/).click();
    await panel().waitFor();
    if (side === "right") await button("Dock the panel right").click();
    await eventually(seen).toEqual(expect.arrayContaining([...cards, "Order"]));
    await grip(side === "right" ? "Width of the panel" : "Height of the panel").press("Home");
    await isStill();
    await eventually(seen).toEqual(expect.arrayContaining(["Order"]));
    await panel().getByRole("button", { name: "Close the node" }).click();
    await eventually(seen).toEqual([...cards, ...names]);
    await page.getByRole("button", { name: /^Trigger Morning/ }).click();
    await page.getByRole("region", { name: "Trigger Morning" }).waitFor();
    await eventually(seen).toEqual(expect.arrayContaining(cards));
    await page.keyboard.press("Escape");
    await eventually(seen).toEqual([...cards, ...names]);
    await page.goto(`/o/${flows.owner.organizationId}/workflows/${orderId}?node=order`);
    await panel().waitFor();
    await eventually(seen).toEqual(expect.arrayContaining([...cards, "Order"]));
    expect(complaints).toEqual([]);
  });
});
