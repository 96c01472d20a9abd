import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../test/support/browser/start-browser.ts";
import { password } from "../test/support/people.ts";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// How smoothly a node is dragged on a canvas of 200 nodes in a real browser, and what has to be loaded before and for the canvas.
const bench = "canvas";
const nodeCount = 200;
const perRow = 20;
const dragMs = 2_000;
const builtFolder = join(import.meta.dirname, "../dist/web");

const folder = createDataDir();
try {
  const server = await startServer({ dataDir: folder.dataDir });
  const browser = await startBrowser();
  try {
    const person = server.browser();
    const setup = await person.post("/api/setup", {
      name: "Ann",
      email: "ann@example.com",
      password,
      organizationName: "Bench",
    });
    const { organizationId } = setup.body as { organizationId: string };
    const created = await person.post(`/api/organizations/${organizationId}/workflows`, {
      name: "Large",
      canvas: largeCanvas(),
    });
    const { id } = created.body as { id: string };
    const context = await browser.newContext({ baseURL: server.platformUrl, viewport: { width: 1280, height: 800 } });
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: server.platformUrl })));
    const page = await context.newPage();
    await page.goto(`/o/${organizationId}/workflows/${id}`);
    await page
      .locator(".react-flow__node")
      .nth(nodeCount - 1)
      .waitFor();
    await measureDragging(page);
    await measurePaint(browser, server.platformUrl);
    measureSizes();
  } finally {
    await browser.close();
    await server.stop();
  }
} finally {
  await folder.remove();
}

/** From an empty cache to the first thing that can be read. */
async function measurePaint(browser: Browser, baseURL: string): Promise<void> {
  const paints: number[] = [];
  for (let round = 0; round < 7; round++) {
    const context = await browser.newContext({ baseURL });
    const page = await context.newPage();
    await page.goto("/sign-in");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
    paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    await context.close();
  }
  reportFigure({
    bench,
    figure: "first contentful paint, nothing in the cache, p50",
    value: median(paints),
    unit: "ms",
    bar: { atMost: 1000 },
  });
}

function largeCanvas() {
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    id: `node_${index}`,
    nodeId: index % 5 === 4 ? "system_date_time" : "set_fields",
    parameters: index % 5 === 4 ? {} : { fields: { step: index } },
    position: { x: (index % perRow) * 300, y: Math.floor(index / perRow) * 140 },
  }));
  const edges = nodes.slice(1).map(({ id }, index) => ({ id: `edge_${index}`, source: `node_${index}`, target: id }));
  return { nodes, edges };
}

/** Everything in view, so that all of it could be drawn anew. */
async function measureDragging(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Fit everything" }).click();
  const dragged = page.locator(`.react-flow__node[data-id="node_${perRow * 4 + 10}"]`);
  await page.waitForFunction(
    "document.querySelectorAll('.react-flow__node')[199].getBoundingClientRect().right < innerWidth",
  );
  const idle = await countFrames(page);
  const box = await dragged.boundingBox();
  if (!box) throw new Error("the node is not in view");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const frames = await countFrames(page, { x, y });
  const after = await dragged.boundingBox();
  await page.mouse.up();
  if (!after || Math.hypot(after.x - box.x, after.y - box.y) < 5) throw new Error("the node was not moved");
  const baseline = "the same page left alone";
  reportFigure({
    bench,
    baseline,
    figure: `frames per second while a node of ${nodeCount} is dragged`,
    unit: "1/s",
    bar: { atLeast: 50 },
    value: frames.perSecond,
    baselineValue: idle.perSecond,
  });
  reportFigure({
    bench,
    baseline,
    figure: "processor time of the page for each of these frames",
    unit: "ms",
    value: frames.processorMs,
    baselineValue: idle.processorMs,
  });
  const figure = "longest time between two frames while dragging";
  reportFigure({ bench, baseline, figure, unit: "ms", value: frames.longestMs, baselineValue: idle.longestMs });
}

type Frames = { perSecond: number; longestMs: number; processorMs: number };

/** With a place the pointer moves around it, once in every frame: faster than a test program's own mouse could. */
async function countFrames(page: Page, around?: { x: number; y: number }): Promise<Frames> {
  const readProcessorMs = await watchProcessor(page);
  const times = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = [];
    const around = ${JSON.stringify(around ?? null)};
    const count = (time) => {
      times.push(time);
      if (time - times[0] > ${dragMs}) return resolve(times);
      const [clientX, clientY] = around ? [around.x + 120 * Math.sin(times.length / 12), around.y + 80 * Math.cos(times.length / 12)] : [];
      if (around) dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, view: window, bubbles: true }));
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  })`);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return {
    perSecond: (gaps.length / ((times.at(-1) ?? 0) - (times[0] ?? 0))) * 1000,
    longestMs: Math.max(...gaps),
    processorMs: (await readProcessorMs()) / gaps.length,
  };
}

/** Time the page's main thread really worked, which does not depend on what else the machine does. */
async function watchProcessor(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  const before = await read();
  return async () => {
    const seconds = (await read()) - before;
    await session.detach();
    return seconds * 1000;
  };
}

function measureSizes(): void {
  const page = readFileSync(join(builtFolder, "index.html"), "utf8");
  const first = withImports(
    [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name = ""]) => name),
  );
  // Styles are named after any of the parts that need them, so all that are not loaded at first are counted.
  const isOfCanvas = (name: string) => name.startsWith("workflow-page-") || name.endsWith(".css");
  const canvas = withImports(
    readdirSync(join(builtFolder, "assets"))
      .filter(isOfCanvas)
      .map((name) => `assets/${name}`),
  );
  for (const name of first) canvas.delete(name);
  const kilobytes = (names: Set<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(builtFolder, name))).length, 0) / 1000;
  reportFigure({ bench, figure: "first load, compressed", unit: "kB", value: kilobytes(first), bar: { atMost: 200 } });
  reportFigure({
    bench,
    figure: "what the canvas needs beyond that, compressed",
    unit: "kB",
    value: kilobytes(canvas),
    bar: { atMost: 220 },
  });
}

/** Files and everything they import at once; what is only loaded when it is needed does not count. */
function withImports(names: string[]): Set<string> {
  const found = new Set(names);
  for (const name of found) {
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(join(builtFolder, name), "utf8");
    for (const [, file = ""] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) found.add(`assets/${file}`);
  }
  return found;
}
