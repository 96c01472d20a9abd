#!/usr/bin/env node
// The command of the package: nothing to install or to build, only a Node.js to find that is new enough.
// Everything said here goes to stderr; stdout belongs to the program that is started.
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chooseNode, runOnNode } from "./choose-node.mjs";

const program = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), "lib", "main.js");

try {
  // Without a word it serves: that is what somebody who tries it wants.
  await start(process.argv.length > 2 ? process.argv.slice(2) : ["serve"]);
} catch (error) {
  process.stderr.write(`switchyard: ${error.message}\n`);
  process.exitCode = 1;
}

async function start(words) {
  const { versions, platform, arch } = process;
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(findHome(), ".cache"), "switchyard");
  const node = await chooseNode({ folder: path.join(cache, "node"), version: versions.node, platform, arch });
  if (node !== "this process") {
    process.exitCode = await runOnNode(node, [fileURLToPath(import.meta.url), ...words]);
    return;
  }
  module.enableCompileCache(path.join(cache, "compiled"));
  process.argv = [process.execPath, program, ...words];
  await import(pathToFileURL(program).href);
}

/** A user whom the machine does not know by name, as in a container, may have no home. */
function findHome() {
  try {
    return homedir();
  } catch {
    throw new Error(
      "this user has no home folder to keep things in; set HOME or XDG_CACHE_HOME to a folder that may be written",
    );
  }
}
