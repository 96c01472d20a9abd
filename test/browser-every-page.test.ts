import { type Browser, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserProgram } from "./support/browser-program.ts";
import { findAccessibilityFaults } from "./support/find-accessibility-faults.ts";
import { openPage, sidewaysScrolling } from "./support/open-page.ts";
import { signUpMember, signUpOwner } from "./support/people.ts";
import { startTestApp, type TestApp } from "./support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let program: Browser;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  await signUpMember(app, ann.organizationId, "Vera", "viewer");
  program = await playwright.launch({ executablePath: await browserProgram(), args: ["--no-sandbox", "--disable-gpu"], headless: true });
});
afterAll(async () => {
  await program?.close();
  await app?.stop();
});

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
    const person = cookies ? ann.browser : app.browser();
    const { page, close } = await openPage(program, { baseUrl: app.platformUrl, person, ...options });
    try {
      await page.goto(path());
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScrolling(page)).toBe(0);
    } finally {
      await close();
    }
  }
});
