import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { runNpm } from "./run-npm.mjs";

// Node tells the version of glibc where it was built for it; elsewhere on Linux that is musl.
const libc =
  process.platform === "linux" ? (process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl") : undefined;
const machine = [process.platform, process.arch, libc].filter(Boolean).join("-");

/** What `npm start` needs (src/package.json, web/package.json), and what tests and checks need besides (devDependencies). */
const omissions = { start: ["--omit=dev"], everything: ["--include=dev"] };

/** Makes node_modules hold at least what is wanted ("start" or "everything") in the versions of package-lock.json. */
export async function installDependencies(root, wanted) {
  if (isInstalled(root, wanted)) return;
  await withLock(path.join(root, "dist", "install.lock"), async ({ wasAbandoned, noteChild }) => {
    if (isInstalled(root, wanted)) return;
    if (wasAbandoned) removeHalfInstalled(root);
    // Whoever ran the tests once keeps what they need when the lockfile changes.
    const level = readStamp(root).level === "everything" ? "everything" : wanted;
    if (!matchesLockfile(root, level)) {
      const what = level === "start" ? "dependencies" : "dependencies and what tests need";
      process.stderr.write(`switchyard: installing ${what}, this takes a minute the first time\n`);
      // Not `npm ci`, which begins by deleting everything. With --no-save npm keeps to the lockfile and does not write it.
      await runNpm(root, ["install", "--no-save", ...omissions[level]], noteChild);
    }
    writeFileSync(stampFile(root), `${level} ${lockfileHash(root)} ${machine}`);
  });
}

function isInstalled(root, wanted) {
  const { level, hash, installedFor } = readStamp(root);
  return (level === wanted || level === "everything") && hash === lockfileHash(root) && installedFor === machine;
}

/** A folder may be used by several machines in turn: a container, a second architecture. What was installed before there were levels is everything. */
function readStamp(root) {
  const stamp = readIfThere(stampFile(root));
  const [level, hash, installedFor] = (stamp ?? "").split(" ");
  return stamp && hash === undefined ? { level: "everything" } : { level, hash, installedFor };
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
    .filter(
      ([place]) => place.includes("node_modules/") && !omitted.some((parent) => `${place}/`.startsWith(`${parent}/`)),
    )
    .every(([place, entry]) => present[place]?.version === entry.version);
}

// What is optional and for every machine belongs to something that is not: it is there where that is.
function isForAnotherMachine({ optional, os, cpu, libc: libraries }) {
  const fits = (list, value) => list === undefined || list.includes(value);
  const isForAll = os === undefined && cpu === undefined && libraries === undefined;
  return (
    optional === true && (isForAll || !fits(libraries, libc) || !fits(os, process.platform) || !fits(cpu, process.arch))
  );
}

// npm does not look inside a package folder that is already there, so one cut off in the middle would stay broken.
function removeHalfInstalled(root) {
  const folders = ["", "src", "web"]
    .map((part) => path.join(root, part, "node_modules"))
    .filter((folder) => existsSync(folder));
  for (const folder of folders)
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
