import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import sparticuz from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/** The arguments that the package proposes would turn off the rules of the web that are tested. */
export async function startBrowser(...args: string[]): Promise<Browser> {
  return await chromium.launch({ executablePath: await unpackBrowser(), args: ["--no-sandbox", "--disable-gpu", ...args], headless: true });
}

/** The browser from npm unpacks itself under one fixed name, so each user and each test worker needs its own folder for it. */
async function unpackBrowser(): Promise<string> {
  const before = process.env.TMPDIR;
  const folder = join(tmpdir(), `switchyard-browser-${userInfo().uid}-${process.env.VITEST_POOL_ID ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = folder;
  try {
    return await sparticuz.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
