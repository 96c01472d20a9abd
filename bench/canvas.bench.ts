import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Page, chromium as playwright } from "playwright-core";
import { browserProgram } from "../test/support/browser-program.ts";
import { password } from "../test/support/people.ts";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { reportFigure } from "./report-figure.ts";

// How smoothly a node is dragged on a canvas of 200 nodes in a real browser, and what has to be loaded before and for the canvas.
const bench = "canvas";
const nodeCount = 200;
const perRow = 20;
const dragMs = 2_000;
const builtFolder = join(import.meta.dirname, "../dist/web");

const folder = createDataDir();
try {
  const server = await startServer({ dataDir: folder.dataDir });
  const browser = await playwright.launch({
    executablePath: await browserProgram(),
    args: ["--no-sandbox", "--disable-gpu"],
    headless: true,
  });
  try {
    const person = server.browser();
    const { body } = await person.post("/api/setup", { name: "Ann", email: "ann@example.com", password, organizationName: "Bench" });
    const created = await person.post(`/api/organizations/${body.organizationId}/workflows`, { name: "Large", canvas: largeCanvas() });
    const context = await browser.newContext({ baseURL: server.platformUrl, viewport: { width: 1280, height: 800 } });
    await context.addCookies([...person.cookies].map(([name, value]) => ({ name, value, url: server.platformUrl })));
    const page = await context.newPage();
    await page.goto(`/o/${body.organizationId}/workflows/${created.body.id}`);
    await page
      .locator(".react-flow__node")
      .nth(nodeCount - 1)
      .waitFor();
    await measureDragging(page);
    measureSizes();
  } finally {
    await browser.close();
    await server.stop();
  }
} finally {
  await folder.remove();
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
  await page.waitForFunction("document.querySelector('.react-flow__viewport').getBoundingClientRect().left < innerWidth");
  const idle = await countFrames(page, async () => new Promise((resolve) => setTimeout(resolve, dragMs)));
  const dragged = await countFrames(page, () => drag(page, `node_${perRow * 4 + 10}`));
  const [fps, idleFps] = [dragged.perSecond, idle.perSecond];
  const versus = { baseline: "the same page left alone", baselineValue: idleFps };
  reportFigure({
    bench,
    figure: `frames per second while a node of ${nodeCount} is dragged`,
    unit: "1/s",
    value: fps,
    bar: { atLeast: 50 },
    ...versus,
  });
  reportFigure({
    bench,
    figure: "longest time between two frames while dragging",
    unit: "ms",
    value: dragged.longestMs,
    baseline: versus.baseline,
    baselineValue: idle.longestMs,
  });
}

async function drag(page: Page, nodeId: string): Promise<void> {
  const box = await page.locator(`.react-flow__node[data-id="${nodeId}"]`).boundingBox();
  if (!box) throw new Error(`${nodeId} is not in view`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const startedAt = performance.now();
  for (let step = 0; performance.now() - startedAt < dragMs; step++)
    await page.mouse.move(x + 120 * Math.sin(step / 12), y + 80 * Math.cos(step / 12));
  await page.mouse.up();
  const after = await page.locator(`.react-flow__node[data-id="${nodeId}"]`).boundingBox();
  if (Math.abs((after?.x ?? 0) - box.x) + Math.abs((after?.y ?? 0) - box.y) < 5) throw new Error(`${nodeId} was not moved`);
}

type Frames = { perSecond: number; longestMs: number };

async function countFrames(page: Page, during: () => Promise<unknown>): Promise<Frames> {
  await page.evaluate(`{
    const times = (globalThis.frameTimes = []);
    const count = (time) => { times.push(time); if (globalThis.frameTimes === times) requestAnimationFrame(count); };
    requestAnimationFrame(count);
  }`);
  await during();
  const times = await page.evaluate<number[]>("{ const times = globalThis.frameTimes; globalThis.frameTimes = undefined; times; }");
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return { perSecond: (gaps.length / ((times.at(-1) ?? 0) - (times[0] ?? 0))) * 1000, longestMs: Math.max(...gaps) };
}

function measureSizes(): void {
  const page = readFileSync(join(builtFolder, "index.html"), "utf8");
  const first = withImports([...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name = ""]) => name));
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
  reportFigure({ bench, figure: "first load, compressed", unit: "kB", value: kilobytes(first), bar: { atMost: 350 } });
  reportFigure({
    bench,
    figure: "what the canvas needs beyond that, compressed",
    unit: "kB",
    value: kilobytes(canvas),
    bar: { atMost: 250 },
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
