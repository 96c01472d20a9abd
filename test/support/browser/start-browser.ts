import { type Browser, chromium } from "playwright-core";
import { browserFile } from "./find-browser.ts";

// A browser that looks for updates and tells its maker about itself would reach out from every test.
const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

/** The arguments that the package from npm proposes would turn off the rules of the web that are tested. */
export async function startBrowser(...args: string[]): Promise<Browser> {
  return await chromium.launch({
    executablePath: browserFile(),
    args: ["--no-sandbox", "--disable-gpu", ...quiet, ...args],
    headless: true,
  });
}
