import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { runNpm } from "./run-npm.mjs";

/** What `npm start` needs (src/package.json, web/package.json), and what tests and checks need besides (devDependencies). */
const omissions = { start: ["--omit=dev"], everything: ["--include=dev"] };

/** Makes node_modules hold at least what is wanted ("start" or "everything") in the versions of package-lock.json. */
export async function installDependencies(root, wanted) {
  if (isInstalled(root, wanted)) return;
  await withLock(path.join(root, "dist", "install.lock"), async ({ wasAbandoned }) => {
    if (isInstalled(root, wanted)) return;
    if (wasAbandoned) removeHalfInstalled(path.join(root, "node_modules"));
    // Whoever ran the tests once keeps what they need when the lockfile changes.
    const level = readStamp(root).level === "everything" ? "everything" : wanted;
    if (!matchesLockfile(root, level)) {
      const what = level === "start" ? "dependencies" : "dependencies and what tests need";
      process.stderr.write(`switchyard: installing ${what}, this takes a minute the first time\n`);
      // Not `npm ci`, which begins by deleting everything. With --no-save npm keeps to the lockfile and does not write it.
      await runNpm(root, ["install", "--no-save", ...omissions[level]]);
    }
    writeFileSync(stampFile(root), `${level} ${lockfileHash(root)}`);
  });
}

function isInstalled(root, wanted) {
  const { level, hash } = readStamp(root);
  return (level === wanted || level === "everything") && hash === lockfileHash(root);
}

function readStamp(root) {
  const [level, hash] = (readIfThere(stampFile(root)) ?? "").split(" ");
  return { level, hash };
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
function matchesLockfile(root, level) {
  const installed = readIfThere(path.join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages);
  const isOmitted = (entry) => isForAnotherMachine(entry) || (entry.dev === true && level === "start");
  const omitted = wanted.filter(([, entry]) => isOmitted(entry)).map(([place]) => place);
  return wanted
    .filter(([place]) => place.includes("node_modules/") && !omitted.some((parent) => `${place}/`.startsWith(`${parent}/`)))
    .every(([place, entry]) => present[place]?.version === entry.version);
}

function isForAnotherMachine({ optional, os, cpu, libc }) {
  const fits = (list, value) => list === undefined || list.includes(value);
  return optional === true && (libc !== undefined || !fits(os, process.platform) || !fits(cpu, process.arch));
}

// npm does not look inside a package folder that is already there, so one cut off in the middle would stay broken.
function removeHalfInstalled(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
