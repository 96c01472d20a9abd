import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import sparticuz from "@sparticuz/chromium";

type Machine = {
  environment: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  arch: string;
  exists?: (file: string) => boolean;
};

/** "the one from npm" has to be unpacked first; a file is a browser that the machine has. */
type FoundBrowser = { file: string } | "the one from npm" | { missing: string };

const linuxNames = [
  "google-chrome-stable",
  "google-chrome",
  "chromium",
  "chromium-browser",
  "microsoft-edge-stable",
  "microsoft-edge",
];
const macFiles = ["Google Chrome", "Chromium", "Microsoft Edge"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const windowsFiles = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];

/** Looks for a browser: SWITCHYARD_BROWSER, then an installed Chrome, Chromium or Edge, then the one from npm, which is built for Linux on x64. */
export function findBrowser({ environment, platform, arch, exists = existsSync }: Machine): FoundBrowser {
  const named = environment.SWITCHYARD_BROWSER;
  if (named)
    return exists(named) ? { file: named } : { missing: `SWITCHYARD_BROWSER is ${named}, which does not exist` };
  const file = listPlaces(environment, platform).find((place) => exists(place));
  if (file !== undefined) return { file };
  if (platform === "linux" && arch === "x64") return "the one from npm";
  return { missing: "there is no Chrome, Chromium or Edge; install one, or name one in SWITCHYARD_BROWSER" };
}

function listPlaces(environment: Machine["environment"], platform: NodeJS.Platform): string[] {
  if (platform === "darwin") return macFiles;
  const programFolders = [environment.PROGRAMFILES, environment["PROGRAMFILES(X86)"], environment.LOCALAPPDATA];
  if (platform === "win32")
    return programFolders.flatMap((folder) => (folder ? windowsFiles.map((file) => `${folder}\\${file}`) : []));
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return linuxNames.flatMap((name) => folders.map((folder) => join(folder, name)));
}

type Trial = { unpack: () => Promise<string>; runs?: (file: string) => boolean };

/** The browser from npm is only taken where it runs: it brings no C library along, and not all that it needs besides. */
export async function tryBrowser(
  chosen: FoundBrowser,
  { unpack, runs = answersVersion }: Trial,
): Promise<Exclude<FoundBrowser, string>> {
  if (chosen !== "the one from npm") return chosen;
  const file = await unpack();
  return runs(file)
    ? { file }
    : { missing: "the browser from npm does not run here; install Chrome, Chromium or Edge" };
}

const answersVersion = (file: string): boolean => spawnSync(file, ["--version"], { timeout: 20_000 }).status === 0;

const chosen = findBrowser({ environment: process.env, platform: process.platform, arch: process.arch });
const found = await tryBrowser(chosen, { unpack: unpackBrowser });

/** Why this machine has no browser, if it has none. */
export const missingBrowser = "missing" in found ? found.missing : undefined;

/** The program of the browser, unpacked where it came from npm. */
export function browserFile(): string {
  if ("file" in found) return found.file;
  throw new Error(`No browser: ${found.missing}.`);
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
