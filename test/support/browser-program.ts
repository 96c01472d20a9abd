import { mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";

/** The browser from npm unpacks itself under one fixed name, so each user and each test worker needs its own folder for it. */
export async function browserProgram(): Promise<string> {
  const before = process.env.TMPDIR;
  const folder = join(tmpdir(), `switchyard-browser-${userInfo().uid}-${process.env.VITEST_POOL_ID ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = folder;
  try {
    return await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
