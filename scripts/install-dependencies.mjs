import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { runChild } from "./run-child.mjs";

// Not `npm ci`: it refuses a lockfile that leaves out optional packages of other platforms, and on Windows it cannot
// delete the Node that is running. With --no-save npm keeps to the lockfile and does not write it.
const words = ["install", "--no-save", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];

/** Makes node_modules match package-lock.json; does nothing when it already does. */
export async function installDependencies(root) {
  if (isInstalled(root)) return;
  await withLock(path.join(root, "dist", "install.lock"), async ({ wasAbandoned }) => {
    if (isInstalled(root)) return;
    if (wasAbandoned) removeHalfInstalled(path.join(root, "node_modules"));
    if (!matchesLockfile(root)) {
      process.stderr.write("switchyard: installing dependencies, this takes a minute the first time\n");
      await runNpm(root);
    }
    writeFileSync(stampFile(root), lockfileHash(root));
  });
}

function isInstalled(root) {
  return readIfThere(stampFile(root)) === lockfileHash(root);
}

function stampFile(root) {
  return path.join(root, "node_modules", ".switchyard-install");
}

function lockfileHash(root) {
  return createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .digest("hex");
}

// True after somebody ran `npm install` by hand: npm lists what it installed in a lockfile of the same form.
function matchesLockfile(root) {
  const installed = readIfThere(path.join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages);
  return wanted.every(([name, entry]) => name === "" || present[name]?.version === entry.version || isForAnotherMachine(entry));
}

function isForAnotherMachine({ optional, os, cpu, libc }) {
  const fits = (list, value) => list === undefined || list.includes(value);
  return optional === true && (libc !== undefined || !fits(os, process.platform) || !fits(cpu, process.arch));
}

// npm does not look inside a package folder that is already there, so one cut off in the middle would stay broken.
function removeHalfInstalled(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const entry = path.join(folder, name);
    const holdsRunningNode = process.execPath.startsWith(entry + path.sep);
    if (!holdsRunningNode) rmSync(entry, { recursive: true, force: true });
  }
}

async function runNpm(root) {
  const npm = process.env.npm_execpath ?? "";
  const options = { cwd: root, stdio: ["ignore", 2, 2] };
  const code =
    path.basename(npm) === "npm-cli.js"
      ? await runChild(process.execPath, [npm, ...words], options)
      : await runChild("npm", words, { ...options, shell: process.platform === "win32" });
  if (code !== 0)
    throw new Error("could not install the dependencies (see npm's message above); is the npm registry reachable? Then try again");
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
