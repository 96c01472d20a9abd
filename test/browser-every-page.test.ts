import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "./support/find-accessibility-faults.ts";
import { launchBrowser } from "./support/launch-browser.ts";
import { sidewaysScrolling } from "./support/open-page.ts";
import { signUpMember, signUpOwner } from "./support/people.ts";
import { startTestApp, type TestApp } from "./support/test-app.ts";

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

  async function look({ path, heading, cookies }: { path: () => string; heading: string | RegExp; cookies: boolean }): Promise<void> {
    const { page } = await browser.open({ baseUrl: app.platformUrl, ...(cookies ? { person: ann.browser } : {}), ...options });
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
