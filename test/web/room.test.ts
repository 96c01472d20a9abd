import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCanvasPage } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];
const { canvas, box, button, isStill } = createCanvasPage({ page: () => page, flows: () => flows });

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

async function open(workflowId: string, viewport = { width: 1280, height: 800 }): Promise<void> {
  const { app, owner } = flows;
  const options = { baseUrl: app.platformUrl, person: owner.browser, reducedMotion: "reduce" } as const;
  ({ page, complaints } = await browser.open({ ...options, viewport }));
  await page.goto(`/o/${owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

const at = (x: number, y: number) => ({ position: { x, y } });
const off = { settings: { disabled: true } };
const leftOfCanvas = async () => (await canvas().boundingBox())?.x;

describe("the menu beside a canvas", () => {
  it("is a rail of 56 pixels whose entries have names, is widened by button and by key, and stays so", async () => {
    await open(await flows.save([node("start", "start")]));
    expect(await leftOfCanvas()).toBe(56);
    const members = page.getByRole("link", { name: "Members", exact: true });
    expect(await members.getAttribute("title")).toBe("Members");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Widen the menu").focus();
    await page.keyboard.press("Enter");
    await eventually(leftOfCanvas).toBe(248);
    await page.reload();
    await canvas().waitFor();
    expect(await leftOfCanvas()).toBe(248);
    await canvas().focus();
    await page.keyboard.press("[");
    await eventually(leftOfCanvas).toBe(56);
    await page.getByLabel("Name of the workflow").fill("A [list]");
    expect(await leftOfCanvas()).toBe(56);
    await members.click();
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    expect((await page.getByRole("main").boundingBox())?.x).toBe(248);
    expect(complaints).toEqual([]);
  });
});

describe("the view of a canvas", () => {
  /** Which of the nodes lie within what is seen of the canvas. */
  async function seen(names: readonly string[]): Promise<string[]> {
    const frame = await canvas().boundingBox();
    const shown = await Promise.all(names.map((name) => box(new RegExp(`^${name},`)).boundingBox()));
    return names.filter((_, index) => {
      const area = shown[index];
      if (!area || !frame) return false;
      return area.x >= frame.x && area.x + area.width <= frame.x + frame.width && area.y >= frame.y;
    });
  }
  const zoom = async () => Number((await page.getByText(/^\d+ %$/).innerText()).slice(0, -2));
  const row = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      node(`n${index}`, "set_fields", { fields: { a: 1 } }, { name: `N${index}`, ...at(index * 280, 0) }),
    );
  const names = (count: number) => row(count).map(({ name }) => name ?? "");

  it("is fitted anew when a panel opens or closes, so that everything stays in view", async () => {
    await open(await flows.save(row(4)));
    expect(await seen(names(4))).toEqual(names(4));
    await box(/^N3,/).click();
    await page.getByRole("region", { name: "Node N3" }).waitFor();
    await eventually(() => seen(names(4))).toEqual(names(4));
    await button("Dock the panel right").click();
    await isStill();
    // Everything would be too small here: the chosen one is in view, at a size that can be read.
    await eventually(() => seen(["N3"])).toEqual(["N3"]);
    expect(await zoom()).toBeGreaterThanOrEqual(75);
    await page.keyboard.press("Escape");
    await eventually(() => seen(names(4))).toEqual(names(4));
    expect(complaints).toEqual([]);
  });

  it("shows everything beside the panel where that can be read", async () => {
    await open(await flows.save(row(3)), { width: 1600, height: 800 });
    await box(/^N2,/).click();
    await page.getByRole("region", { name: "Node N2" }).waitFor();
    await button("Dock the panel right").click();
    await isStill();
    await eventually(() => seen(names(3))).toEqual(names(3));
    expect(complaints).toEqual([]);
  });
});

describe("a node", () => {
  it("says in a line what it does with what it was given", async () => {
    const nodes = [
      node("call", "http_request", { url: "https://shop.example.com/orders/{{ $trigger.payload.id }}" }, at(0, 0)),
      node("decide", "condition", { condition: "$input.total > 100" }, at(320, 0)),
      node("tell", "slack_send_message", { channel: "C1", text: "Hello" }, { ...off, ...at(640, 0) }),
      node("now", "start", {}, at(0, 200)),
    ];
    await open(await flows.save(nodes, edges("call>decide")));
    await box(/^HTTP request/)
      .getByText("GET /orders/{id}")
      .waitFor();
    await box(/^Condition/)
      .getByText("total > 100")
      .waitFor();
    await box(/^Send message/)
      .getByText("Disabled")
      .waitFor();
    await box(/^Start/)
      .getByText("Built in")
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("that was just added shows no problem before its panel is left, while the list above has it at once", async () => {
    await open(await flows.save([node("start", "start", {}, at(0, 0))]));
    await canvas().focus();
    await page.keyboard.press("n");
    await page.getByRole("combobox", { name: "Search nodes" }).fill("transform");
    await page.getByRole("option", { name: /^Transform Makes/ }).click();
    const panel = page.getByRole("region", { name: "Node Transform" });
    await button("Saved, 1 problem").waitFor();
    expect(await panel.getByText("is required").count()).toBe(0);
    expect(await box(/^Transform.*1 problem/).count()).toBe(0);
    await button("Saved, 1 problem").click();
    await button("transform: expression is required.").click();
    await panel.getByText("Expression is required").waitFor();
    await box(/^Transform.*1 problem/).waitFor();
    expect(complaints).toEqual([]);
  });

  it("has a panel that scrolls by itself, also when more fields are shown", async () => {
    const request = node("call", "http_request", { url: "https://example.com" }, { name: "Call" });
    await open(await flows.save([request]), { width: 1280, height: 480 });
    await box(/^Call/).click();
    const panel = page.getByRole("region", { name: "Node Call" });
    await panel.getByText(/^More fields/).click();
    const scrolling = "document.documentElement.scrollHeight - document.documentElement.clientHeight";
    expect(await page.evaluate(scrolling)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("the notice that the server is away", () => {
  it("goes by itself when the server is back, also where nothing else asks again", async () => {
    const { app, owner } = flows;
    ({ page } = await browser.open({ baseUrl: app.platformUrl, person: owner.browser }));
    await page.clock.install();
    await page.goto(`/o/${owner.organizationId}/members`);
    await page.getByRole("heading", { level: 1, name: "Members" }).waitFor();
    const members = "**/api/organizations/*/members*";
    await page.route(members, (route) => route.abort());
    // What was read some time ago is asked for anew when somebody comes back to the page.
    await page.clock.fastForward(60_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    const notice = page.getByText("What you see may be out of date.");
    await notice.waitFor();
    await page.unroute(members);
    await notice.waitFor({ state: "detached" });
  });
});
