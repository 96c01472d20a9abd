#!/usr/bin/env node
// The command of the package: nothing to install or to build, only a Node.js to find that is new enough.
// Everything said here goes to stderr; stdout belongs to the program that is started.
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chooseNode } from "./choose-node.mjs";
import { runChild } from "./run-child.mjs";

const program = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "lib", "main.js");
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "switchyard");

try {
  // Without a word it serves: that is what somebody who tries it wants.
  await start(process.argv.length > 2 ? process.argv.slice(2) : ["serve"]);
} catch (error) {
  process.stderr.write(`switchyard: ${error.message}\n`);
  process.exitCode = 1;
}

async function start(words) {
  const { versions, platform, arch } = process;
  const node = await chooseNode({ folder: path.join(cache, "node"), version: versions.node, platform, arch });
  if (node !== "this process") {
    process.exitCode = await runChild(node, [fileURLToPath(import.meta.url), ...words], { stdio: "inherit" });
    return;
  }
  module.enableCompileCache(path.join(cache, "compiled"));
  process.argv = [process.execPath, program, ...words];
  await import(pathToFileURL(program).href);
}
