import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import path from "node:path";
import { hashFiles } from "./hash-files.mjs";
import { isAlive, withLock } from "./lock.mjs";
import { runChild } from "./run-child.mjs";

const sources = ["src/**/*.{ts,sql,svg}", "package-lock.json", "scripts/build-package.mjs", "scripts/in-ascii.mjs"];
/** Besides those of servers that run, which load parts of them when they are asked for. */
const mostKept = 3;
/** Whoever has just started the server should have the machine for the first requests. */
const buildAfterMs = 3_000;

/**
 * The program to run: a bundle of these very sources, which loads in half the time, or the sources where there is none. A server makes one: at
 * once in a fresh checkout, whose first start takes long anyway, else beside its work for the next start, because nobody who just changed a line
 * wants to wait for it.
 */
export async function chooseProgram(root, { isServer }) {
  const bundle = placeOf(root);
  if (!existsSync(bundle) && isServer) await makeOne(root);
  if (!existsSync(bundle)) return path.join(root, "src", "main.ts");
  noteUse(bundle, isServer);
  return path.join(bundle, "main.js");
}

async function makeOne(root) {
  if (existsSync(folderOf(root))) return buildLater(root);
  process.stderr.write("switchyard: bundling the server\n");
  const code = await runChild(process.execPath, bundlerOf(root), { cwd: root, stdio: ["ignore", 2, 2] });
  if (code !== 0) process.stderr.write("switchyard: could not bundle the server (see the message above)\n");
}

/** A process of its own makes it: the bundler would leave 700 MB in the server that goes on here. */
const bundlerOf = (root) => [path.join(root, "scripts", "start.mjs"), "--tool", "bundle"];

/** Puts the bundle in its place as a whole, and removes those that were not used for long. */
export async function buildBundle(root) {
  const bundle = placeOf(root);
  if (existsSync(bundle)) return;
  const { buildServer } = await import("./build-package.mjs");
  await withLock(path.join(root, "dist", "server.lock"), async () => {
    if (existsSync(bundle)) return;
    const unfinished = path.join(root, "dist", "server.new");
    await buildServer(root, unfinished);
    mkdirSync(folderOf(root), { recursive: true });
    renameSync(unfinished, bundle);
    removeOld(folderOf(root));
  });
}

function buildLater(root) {
  setTimeout(() => {
    const child = spawn(process.execPath, bundlerOf(root), {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.once("spawn", () => setPriority(child.pid, 10));
    child.once("error", () => {});
    child.unref();
    process.once("exit", () => child.kill());
  }, buildAfterMs).unref();
}

function removeOld(folder) {
  const usedAt = (name) => statSync(path.join(folder, name)).mtimeMs;
  const oldest = readdirSync(folder)
    .sort((one, other) => usedAt(other) - usedAt(one))
    .slice(mostKept);
  for (const name of oldest.filter((one) => !isRunning(path.join(folder, one))))
    rmSync(path.join(folder, name), { recursive: true, force: true });
}

const runningMark = "running-";

function isRunning(bundle) {
  const marks = readdirSync(bundle).filter((name) => name.startsWith(runningMark));
  return marks.some((name) => isAlive(Number(name.slice(runningMark.length))));
}

/** On a disk that cannot be written nothing is removed either. */
function noteUse(bundle, isServer) {
  try {
    utimesSync(bundle, new Date(), new Date());
    if (isServer) writeFileSync(path.join(bundle, `${runningMark}${process.pid}`), "");
  } catch {}
}

function placeOf(root) {
  return path.join(folderOf(root), hashFiles(root, sources, ["**/*.test.ts"]));
}

function folderOf(root) {
  return path.join(root, "dist", "server");
}
