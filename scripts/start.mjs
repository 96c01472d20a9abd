#!/usr/bin/env node
// The first command in a fresh clone: no dependencies, runs on Node 20, hands over to a newer one where that is needed.
// Everything said here goes to stderr; stdout belongs to the program that is started.
import module from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chooseNode, runOnNode } from "./choose-node.mjs";
import { installDependencies } from "./install-dependencies.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// Loaded when needed: they use what Node 20 does not have, and a plain command should not wait for them.
const tools = {
  // `npm test`; a file or folder that is named runs whatever its tier.
  tests: (words) => runVitest(words, { isFull: namesFiles(words) }),
  "all-tests": (words) => runVitest(words, { isFull: true }),
  attacks: async (words) => runVitest((await import("./run-attacks.mjs")).attackSuite(words), { isFull: true }),
  faults: async (words) => runVitest((await import("./run-faults.mjs")).faultSuite(words), { isFull: true }),
  mutants: async (words) => (await import("./run-mutants.mjs")).runMutants(root, words),
  check: async () => (await import("./run-checks.mjs")).runChecks(root),
  licenses: async () => {
    await buildWeb();
    await (await import("./build-package.mjs")).buildPackage(root);
    (await import("./list-licenses.mjs")).listLicenses(root);
  },
  screenshots: async (words) => {
    await buildWeb();
    await runInThisProcess("scripts/take-screenshots.ts", words);
  },
  package: async () => {
    await buildWeb();
    await (await import("./build-package.mjs")).buildPackage(root);
  },
  bundle: async () => (await import("./server-bundle.mjs")).buildBundle(root),
  bench: async (words) => (await import("./run-benches.mjs")).runBenches(root, words),
};

try {
  await start(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`switchyard: ${error.message}\n`);
  process.exitCode = 1;
}

async function start(words) {
  const folder = path.join(root, "dist", "node");
  const [node] = await Promise.all([
    chooseNode({ folder, version: process.versions.node, platform: process.platform, arch: process.arch }),
    installDependencies(
      root,
      words[0] === "--tool" && !["package", "bundle"].includes(words[1]) ? "everything" : "start",
    ),
  ]);
  if (node !== "this process") {
    process.exitCode = await runOnNode(node, [fileURLToPath(import.meta.url), ...words]);
    return;
  }
  if (words[0] === "--tool") return runTool(words[1], words.slice(2));
  const isServer = words[0] === "serve";
  const { chooseProgram } = await import("./server-bundle.mjs");
  const [program] = await Promise.all([
    chooseProgram(root, { isServer }),
    isServer && servesPages(words) ? buildWeb() : undefined,
  ]);
  module.enableCompileCache(path.join(root, "node_modules", ".cache", "node-compile"));
  await runInThisProcess(program, words);
}

function servesPages(words) {
  const { values } = parseArgs({ args: words, options: { roles: { type: "string" } }, strict: false });
  return String(values.roles ?? "platform").includes("platform");
}

async function runTool(name, words) {
  const tool = Object.hasOwn(tools, name ?? "") ? tools[name] : undefined;
  if (!tool) throw new Error(`unknown tool "${name ?? ""}", known are: ${Object.keys(tools).join(", ")}`);
  await tool(words);
}

async function buildWeb() {
  await (await import("./build-web.mjs")).buildWeb(root);
}

function namesFiles(words) {
  return words.some((word) => !word.startsWith("-") && /\/|\.test\./.test(word));
}

async function runVitest(words, { isFull }) {
  await buildWeb();
  // Servers of tests would make it while others are timed.
  if (!namesFiles(words)) await tools.bundle();
  if (isFull) process.env.SWITCHYARD_TESTS = "full";
  (await import("./memory-folder.mjs")).keepTemporaryFilesInMemory();
  await runInThisProcess("node_modules/vitest/vitest.mjs", ["run", ...words]);
}

async function runInThisProcess(file, words) {
  const program = path.resolve(root, file);
  process.argv = [process.execPath, program, ...words];
  await import(pathToFileURL(program).href);
}
