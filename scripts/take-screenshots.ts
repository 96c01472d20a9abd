import { globSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startApp } from "../src/app.ts";
import { createLog } from "../src/base/log.ts";
import { allRoles, readConfig } from "../src/config.ts";
import { startBrowser } from "../test/support/browser/start-browser.ts";
import type { Browser as Person } from "../test/support/browser-client.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { type Picture, picturesOf, strangersPicturesOf } from "./screenshots/pages.ts";
import { seedConnection } from "./screenshots/seed-connection.ts";
import { type Seeded, seedOrganization } from "./screenshots/seed-organization.ts";
import { spreadOverWeek } from "./screenshots/spread-over-week.ts";
import { startServices } from "./screenshots/start-services.ts";

// Pictures of every page, light and dark, for the documentation: npm run screenshots.
const folder = join(import.meta.dirname, "../docs/screenshots");
const schemes = ["light", "dark"] as const;
const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };
const readyLimitMs = 15_000;

const services = await startServices(choosePort);
const { dataDir, remove } = createDataDir();
try {
  await takeAll();
} finally {
  await services.stop();
  await remove();
}

async function takeAll(): Promise<void> {
  const config = readConfig({
    PLATFORM_API_PORT: String(await choosePort(3000)),
    MCP_API_PORT: String(await choosePort(3100)),
    SWITCHYARD_DATA_DIR: dataDir,
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
    AI_PROVIDER: "openai-compatible",
    AI_MODEL: "example",
    AI_BASE_URL: `${services.url}/v1`,
  });
  const app = await startApp({ config, log: createLog("error"), roles: allRoles });
  try {
    const browser = await startBrowser("--force-color-profile=srgb", "--hide-scrollbars");
    try {
      for (const old of globSync("*-{light,dark}.png", { cwd: folder })) rmSync(join(folder, old));
      const { baseUrl: platformUrl } = config.platform;
      await take(browser, {
        platformUrl,
        pictures: [{ name: "setup", path: "/setup", ready: "Create the first account" }],
      });
      const seeded = await seedOrganization({
        platformUrl,
        gatewayUrl: config.gateway.baseUrl,
        servicesUrl: services.url,
      });
      const consentUrl = await seedConnection(config.gateway.baseUrl, seeded);
      await spreadOverWeek(app.parts.ground.db);
      await take(browser, { platformUrl, pictures: strangersPicturesOf(seeded) });
      const pictures = picturesOf(seeded, { consentUrl, recordId: await findFailedCall(seeded) });
      await take(browser, { platformUrl, pictures, person: seeded.browser });
    } finally {
      await browser.close();
    }
  } finally {
    await app.stop();
  }
}

async function findFailedCall({ browser, organizationId }: Seeded): Promise<string> {
  const { body } = await browser.get(`/api/organizations/${organizationId}/tool-calls?status=failed&limit=1`);
  return body.data[0].id;
}

type Wanted = { platformUrl: string; pictures: Picture[]; person?: Person };

async function take(browser: Browser, { platformUrl, pictures, person }: Wanted): Promise<void> {
  const cookies = [...(person?.cookies ?? [])].map(([name, value]) => ({ name, value, url: platformUrl }));
  const pages = await Promise.all(
    schemes.map((colorScheme) => openPage(browser, { baseURL: platformUrl, colorScheme }, cookies)),
  );
  for (const picture of pictures) {
    for (const [index, page] of pages.entries()) await takeOne(page, picture, schemes[index] ?? "");
    process.stdout.write(`${picture.name}\n`);
  }
  for (const page of pages) await page.context().close();
}

async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  cookies: Parameters<BrowserContext["addCookies"]>[0],
): Promise<Page> {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce", viewport: wide });
  await context.addCookies(cookies);
  const page = await context.newPage();
  page.setDefaultTimeout(readyLimitMs);
  return page;
}

async function takeOne(
  page: Page,
  { name, path, ready, isNarrowToo, prepare }: Picture,
  scheme: string,
): Promise<void> {
  await page.setViewportSize(wide);
  await page.goto(path);
  await prepare?.(page);
  await page.getByText(ready).filter({ visible: true }).first().waitFor();
  // Icons come after the text; a page that follows events never becomes quiet.
  await page.waitForLoadState("networkidle", { timeout: 1_000 }).catch(() => undefined);
  await page.screenshot({ path: join(folder, `${name}-${scheme}.png`), animations: "disabled", caret: "hide" });
  if (!isNarrowToo) return;
  await page.setViewportSize(narrow);
  await page.screenshot({ path: join(folder, `${name}-narrow-${scheme}.png`), animations: "disabled", caret: "hide" });
}

/** The usual port, which is what the documentation names, or any other one. */
async function choosePort(preferred: number): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred;
}

function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "localhost", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : undefined));
    });
  });
}
