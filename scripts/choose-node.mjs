import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";
import { runChild } from "./run-child.mjs";
import { runNpm } from "./run-npm.mjs";

const manifests = path.join(path.dirname(fileURLToPath(import.meta.url)), "node");

/** The first of a line that runs TypeScript as it is; what is packed runs on the same ones, so that there is one rule. */
const oldest = { 22: 18 };

/** True when this version of Node.js can run the product. */
export function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major >= 24 || minor >= (oldest[major] ?? Number.POSITIVE_INFINITY);
}

/** "this process" when the running Node is new enough, else the path of one from npm, which is put into the folder the first time. */
export async function chooseNode({ folder, version, platform, arch }) {
  if (isNewEnough(version)) return "this process";
  const binary = findBinary(folder, { version, platform, arch });
  const wanted = createHash("sha256").update(readManifest("package-lock.json")).digest("hex");
  const stamp = path.join(folder, ".installed");
  const isThere = () => existsSync(binary) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isThere()) return binary;
  await withLock(`${folder}.lock`, async ({ noteChild }) => {
    if (isThere()) return;
    process.stderr.write(`switchyard: Node.js ${version} is too old, getting a newer one from npm\n`);
    await installNode(folder, noteChild);
    writeFileSync(stamp, wanted);
  });
  if (!existsSync(binary))
    throw new Error(`npm brought no Node.js for ${platform} ${arch}; install Node.js 22.18 or newer`);
  return binary;
}

/** Runs a script on the Node.js that was chosen, and gives its exit code. */
export async function runOnNode(node, words) {
  try {
    return await runChild(node, words, { stdio: "inherit" });
  } catch (error) {
    // The file is there: it is the loader it was built for that is not, or it is for another processor.
    if (!["ENOENT", "EACCES", "ENOEXEC"].includes(error.code)) throw error;
    const machine = `${process.platform} ${process.arch}`;
    throw new Error(
      `the Node.js that npm has for ${machine} does not run here (it needs glibc, not musl); install Node.js 22.18 or newer`,
    );
  }
}

function findBinary(folder, { version, platform, arch }) {
  const names = Object.keys(JSON.parse(readManifest("package.json")).optionalDependencies);
  const suffix = `${platform === "win32" ? "win" : platform}-${arch}`;
  const name = names.find((candidate) => candidate.endsWith(`-${suffix}`));
  if (!name)
    throw new Error(`needs Node.js 22.18 or newer; this is ${version}, and npm has no Node.js for ${platform} ${arch}`);
  return path.join(folder, "node_modules", name, "bin", platform === "win32" ? "node.exe" : "node");
}

async function installNode(folder, noteChild) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(path.join(manifests, name), path.join(folder, name));
  await runNpm(folder, ["ci"], noteChild);
  // Headers for native add-ons and manual pages are a third of its size, and nothing here uses them.
  const packages = path.join(folder, "node_modules");
  for (const name of Object.keys(JSON.parse(readManifest("package.json")).optionalDependencies))
    for (const part of ["include", "share"]) rmSync(path.join(packages, name, part), { recursive: true, force: true });
}

function readManifest(name) {
  return readFileSync(path.join(manifests, name), "utf8");
}
