import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const browser = launchBrowser();
let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  await signUpMember(app, ann.organizationId, "Vera", "viewer");
});
afterAll(() => app?.stop());

/** How the browser marks where the focus is; outside of the page it is not the page that does. */
const focusLook = `(() => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement ?? document.body);
  return document.activeElement === document.body ? "outside" : outlineStyle === "none" ? boxShadow : outlineStyle + " " + outlineWidth;
})()`;

const below = (path: string) => () => `/o/${ann.organizationId}${path}`;

// The pages with more on them have files of their own.
const pages: [name: string, path: () => string, heading: string | RegExp][] = [
  ["members", below("/members"), "Members"],
  ["connected applications", below("/connections"), "Connected applications"],
  ["connection doctor", below("/doctor"), "Connection doctor"],
  ["account", () => "/account", /account/i],
  ["new organization", () => "/new-organization", /organization/i],
  ["nothing", below("/nothing"), /not|nothing/i],
];

const strangersPages: typeof pages = [
  ["sign-in", () => "/sign-in", /sign in/i],
  ["forgotten password", () => "/forgot-password", /password/i],
  ["new password", () => "/reset-password?token=x", /password/i],
  ["invitation that is none", () => "/invitation/01a1dd9d-23b1-70fc-9f05-9398ede0d79c?token=x", /invitation/i],
];

const looks = [
  { name: "light at 1280 px", options: { colorScheme: "light", viewport: { width: 1280, height: 800 } } },
  { name: "dark at 390 px", options: { colorScheme: "dark", viewport: { width: 390, height: 844 } } },
] as const;

describe.each(looks)("in $name", ({ options }) => {
  it.each(pages)("the page %s can be used by everybody", async (_, path, heading) => {
    await look({ path, heading, cookies: true });
  });

  it.each(strangersPages)("the page %s can be used by everybody who is not signed in", async (_, path, heading) => {
    await look({ path, heading, cookies: false });
  });

  async function look({
    path,
    heading,
    cookies,
  }: {
    path: () => string;
    heading: string | RegExp;
    cookies: boolean;
  }): Promise<void> {
    const { page } = await browser.open({
      baseUrl: app.platformUrl,
      ...(cookies ? { person: ann.browser } : {}),
      ...options,
    });
    await page.goto(path());
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    for (let stop = 0; stop < 6; stop++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate<string>(focusLook)).not.toMatch(/^none|^auto 0px/);
    }
  }
});

describe("while the data is on its way", () => {
  let workflowId: string;
  let runId: string;

  beforeAll(async () => {
    const path = `/api/organizations/${ann.organizationId}/workflows`;
    const canvas = { nodes: [{ id: "start", nodeId: "start", parameters: {} }], edges: [] };
    workflowId = (await ann.browser.post(path, { name: "Some work", canvas })).body.id;
    runId = (await ann.browser.post(`${path}/${workflowId}/runs`, {})).body.id;
  });

  const loadingPages: [name: string, path: () => string, words: string][] = [
    ["home", below(""), "Loading the overview"],
    ["workflows", below("/workflows"), "Loading the workflows"],
    ["workflow", () => below(`/workflows/${workflowId}`)(), "Loading the canvas"],
    ["triggers", below("/triggers"), "Loading the triggers"],
    ["credentials", below("/credentials"), "Loading credentials"],
    ["history of runs", below("/history"), "Loading runs"],
    ["history of tools", below("/history?tab=tools"), "Loading tool calls"],
    ["run", () => below(`/runs/${runId}`)(), "Loading the run"],
    ["API keys", below("/api-keys"), "Loading the API keys"],
    ["servers", below("/servers"), "Loading the servers"],
    ["members", below("/members"), "Loading the page"],
    ["connected applications", below("/connections"), "Loading the page"],
    ["organization", below("/organization"), "Loading the usage"],
    ["account", () => "/account", "Loading the page"],
  ];

  it.each(loadingPages)("the page %s shows where it will stand, and no spinner", async (_, path, words) => {
    const { page, complaints } = await browser.open({ baseUrl: app.platformUrl, person: ann.browser });
    const release = await holdBack(page, /\/api\/(?!me$|setup$)/);
    await page.goto(path());
    await page
      .getByText(words, { exact: true })
      .or(page.getByLabel(words, { exact: true }))
      .first()
      .waitFor();
    await skeletons(page).first().waitFor();
    expect(await page.locator("[class*=animate-spin]").count()).toBe(0);
    await release();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await eventually(() => skeletons(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("a page shows it too before it is known whose it is", async () => {
    const { page, complaints } = await browser.open({ baseUrl: app.platformUrl, person: ann.browser });
    const release = await holdBack(page, /\/api\//);
    await page.goto(below("/workflows")());
    await skeletons(page).first().waitFor();
    expect(await page.locator("[class*=animate-spin]").count()).toBe(0);
    await release();
    await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();
    expect(complaints).toEqual([]);
  });

  const skeletons = (page: Page) => page.locator("[class*=animate-pulse]");

  /** The server seems to answer nothing until it is released. */
  async function holdBack(page: Page, addresses: RegExp): Promise<() => Promise<void>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(addresses, async (route) => {
      await promise;
      await route.continue();
    });
    return async () => {
      resolve();
      await page.unrouteAll({ behavior: "wait" });
    };
  }
});
