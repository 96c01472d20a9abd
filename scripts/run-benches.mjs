import { existsSync, globSync } from "node:fs";
import path from "node:path";
import { runChild } from "./run-child.mjs";

/** Runs bench/<name>, or every bench/*.bench.ts in order, each in a process of its own. */
export async function runBenches(root, [name, ...words]) {
  for (const file of name ? [findBench(root, name)] : globSync("bench/*.bench.ts", { cwd: root }).sort()) {
    process.stderr.write(`switchyard: ${file}\n`);
    const code = await runChild(process.execPath, [path.join(root, file), ...words], { cwd: root, stdio: "inherit" });
    if (code !== 0) process.exitCode = 1;
  }
}

function findBench(root, name) {
  const found = [`bench/${name}.bench.ts`, `bench/${name}.ts`].find((file) => existsSync(path.join(root, file)));
  if (!found) throw new Error(`no bench named "${name}"`);
  return found;
}
