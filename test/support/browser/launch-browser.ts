import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, type TestContext, vi } from "vitest";
import { missingBrowser } from "./find-browser.ts";
import { type OpenPage, openPage, type PageOptions, pageLimitMs } from "./open-page.ts";
import { startBrowser } from "./start-browser.ts";
import { watchApi } from "./watch-api.ts";

type WatchedPage = OpenPage & { undocumented: string[] };

/**
 * One browser for all tests of a file, or of a part of it. The pages that a test opens are closed after it, and none may have
 * asked the server for anything that is not in its OpenAPI document.
 */
export function launchBrowser() {
  // Each step has a limit of its own; a test is as long as its steps, and a canvas is saved only a second after the last change.
  vi.setConfig({ testTimeout: 45_000 });
  let program: Browser | undefined;
  const opened: WatchedPage[] = [];

  beforeEach(skipWithoutBrowser);
  beforeAll(async () => {
    if (isThere()) program = await startBrowser();
  });
  afterEach(async () => {
    const pages = opened.splice(0);
    for (const { close } of pages) await close();
    expect(pages.flatMap(({ undocumented }) => undocumented)).toEqual([]);
  });
  afterAll(() => program?.close());

  return {
    /** `isForeign`: the page is that of another program. */
    async open({ isForeign = false, ...options }: PageOptions & { isForeign?: boolean }): Promise<WatchedPage> {
      if (!program) throw new Error("The browser is not started yet.");
      const page = await openPage(program, options);
      const undocumented = isForeign ? [] : await watchApi(page.page.context(), options.baseUrl);
      opened.push({ ...page, undocumented });
      return { ...page, undocumented };
    },
  };
}

/** Skips a test on a machine that has no browser, and says so by name; where a browser must be there, the test fails. */
export function skipWithoutBrowser(context: TestContext): void {
  if (isThere()) return;
  const reason = `no browser: ${missingBrowser}`;
  process.stdout.write(`skipped: ${context.task.file.name} > ${context.task.name} (${reason})\n`);
  context.skip(reason);
}

const isThere = (): boolean => {
  if (missingBrowser !== undefined && process.env.SWITCHYARD_REQUIRE_BROWSER === "1")
    throw new Error(`No browser: ${missingBrowser}.`);
  return missingBrowser === undefined;
};

/** What a page shows, or a server behind it tells, as soon as it fits. */
export const eventually = <Seen>(look: () => Seen) => expect.poll(look, { timeout: pageLimitMs });
