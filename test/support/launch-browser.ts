import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { type OpenPage, openPage, type PageOptions, pageLimitMs } from "./open-page.ts";
import { startBrowser } from "./start-browser.ts";

/** One browser for all tests of a file, or of a part of it. The pages that a test opens are closed after it. */
export function launchBrowser() {
  // Each step has a limit of its own; a test is as long as its steps, and a canvas is saved only a second after the last change.
  vi.setConfig({ testTimeout: 45_000 });
  let program: Browser | undefined;
  const opened: OpenPage[] = [];

  beforeAll(async () => {
    program = await startBrowser();
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  afterAll(() => program?.close());

  return {
    async open(options: PageOptions): Promise<OpenPage> {
      if (!program) throw new Error("The browser is not started yet.");
      const page = await openPage(program, options);
      opened.push(page);
      return page;
    },
  };
}

/** What a page shows, or a server behind it tells, as soon as it fits. */
export const eventually = <Seen>(look: () => Seen) => expect.poll(look, { timeout: pageLimitMs });
