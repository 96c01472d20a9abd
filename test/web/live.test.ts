import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";

const browser = launchBrowser();
let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp();
});
afterAll(() => mcp?.stop());

const streams = () => mcp.app.parts.history.streams.count();
const wait = () => mcp.client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds: 0.01 } });
const rowsOf = (page: Page) => page.getByRole("row", { name: /system_wait.*Succeeded/ });

/** Tabs of one browser, all of them shown: as windows beside each other. */
async function openTabs(count: number) {
  const { page, complaints } = await browser.open({ baseUrl: mcp.app.platformUrl, person: mcp.owner.browser });
  const others = await Promise.all(Array.from({ length: count - 1 }, () => page.context().newPage()));
  const tabs = [page, ...others];
  for (const tab of tabs) {
    await tab.goto(`/o/${mcp.owner.organizationId}/history?tab=tools`);
    await tab.getByRole("heading", { name: "History", exact: true }).waitFor();
  }
  return { tabs, complaints };
}

/** A browser without a screen shows every tab, so the page is told that it is not. */
const setShown = (page: Page, isShown: boolean) =>
  page.evaluate(`Object.defineProperty(document, "visibilityState", { configurable: true, value: "${isShown ? "visible" : "hidden"}" });
    document.dispatchEvent(new Event("visibilitychange"));`);

const countRows = (page: Page) => rowsOf(page).evaluateAll((rows) => rows.length);

// Twice as many as a browser has connections to one origin over HTTP/1.1.
const manyTabs = 12;

it("loads twelve tabs and shows a new call in all of them, with one stream for the browser", async () => {
  const { tabs, complaints } = await openTabs(manyTabs);
  await eventually(streams).toBe(1);
  const before = await countRows(tabs[0] as Page);
  await wait();
  for (const tab of tabs) await eventually(() => countRows(tab)).toBe(before + 1);
  expect(streams()).toBe(1);
  expect(complaints).toEqual([]);
}, 180_000);

it("misses nothing when the tab that has the stream is closed while calls go on", async () => {
  const { tabs, complaints } = await openTabs(3);
  const [leading, ...others] = tabs as [Page, ...Page[]];
  await eventually(streams).toBe(1);
  await wait();
  const { body } = await mcp.owner.browser.get(`/api/organizations/${mcp.owner.organizationId}/tool-calls?limit=50`);
  const before = body.data.length;
  for (const tab of tabs) await eventually(() => countRows(tab)).toBe(before);

  // The next stream is held back until calls have ended that nobody was told of.
  const { promise: isOver, resolve: goOn } = Promise.withResolvers<void>();
  const asked: string[] = [];
  await leading.context().route("**/events*", async (route) => {
    asked.push(new URL(route.request().url()).search);
    await isOver;
    await route.continue();
  });
  await leading.close();
  await eventually(() => asked.length).toBe(1);
  for (let count = 0; count < 3; count++) await wait();
  goOn();
  await wait();
  for (const tab of others) await eventually(() => countRows(tab)).toBe(before + 4);
  expect(asked).toEqual([expect.stringMatching(/^\?lastEventId=\d+$/)]);
  await eventually(streams).toBe(1);
  expect(complaints).toEqual([]);
}, 90_000);

it("holds no stream while nobody sees the page, and misses nothing of what happened meanwhile", async () => {
  const { tabs, complaints } = await openTabs(2);
  const [one, other] = tabs as [Page, Page];
  await eventually(streams).toBe(1);
  await wait();
  await eventually(() => countRows(one)).toBeGreaterThan(0);
  const before = await countRows(one);
  await setShown(one, false);
  await setShown(other, false);
  await eventually(streams).toBe(0);
  for (let count = 0; count < 3; count++) await wait();
  const { body } = await mcp.owner.browser.get(`/api/organizations/${mcp.owner.organizationId}/tool-calls?limit=50`);
  await setShown(other, true);
  await eventually(() => countRows(other)).toBe(body.data.length);
  await setShown(one, true);
  await eventually(() => countRows(one)).toBe(body.data.length);
  expect(body.data.length).toBeGreaterThanOrEqual(before + 3);
  await eventually(streams).toBe(1);

  // Gone to another page, kept or not in the browser's cache for going back, it holds none either.
  await other.close();
  await one.goto("about:blank");
  await eventually(streams).toBe(0);
  await wait();
  await one.goBack();
  await eventually(() => countRows(one)).toBe(body.data.length + 1);
  expect(complaints.filter((text) => !text.startsWith("foreign: about:"))).toEqual([]);
});

it("shows calls also over plain http to another computer, where browsers have no locks", async () => {
  const { page } = await browser.open({ baseUrl: mcp.app.platformUrl, person: mcp.owner.browser });
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })");
  await page.goto(`/o/${mcp.owner.organizationId}/history?tab=tools`);
  await eventually(streams).toBe(1);
  const before = await countRows(page);
  await wait();
  await eventually(() => countRows(page)).toBeGreaterThan(before);
  await setShown(page, false);
  await eventually(streams).toBe(0);
});
