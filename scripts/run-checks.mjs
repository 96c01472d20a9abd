import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const checks = [
  { name: "types of the server", tool: "node_modules/typescript/bin/tsc", words: ["--noEmit"] },
  {
    name: "types of the web UI",
    tool: "node_modules/typescript/bin/tsc",
    words: ["--noEmit", "--project", "web"],
    needs: "web/tsconfig.json",
  },
  { name: "format and lint", tool: "node_modules/@biomejs/biome/bin/biome", words: ["check", "--error-on-warnings"] },
  { name: "promises and switches", tool: "node_modules/oxlint/bin/oxlint", words: ["--type-aware", "--deny-warnings"] },
  { name: "unused code", tool: "node_modules/knip/bin/knip.js", words: ["--no-progress"] },
  { name: "licences", tool: "scripts/start.mjs", words: ["--tool", "licenses"] },
];

/** Runs every check, also after one failed, and prints one line for each; the output of a check is shown only when it failed. */
export async function runChecks(root) {
  for (const check of checks) {
    if (check.needs && !existsSync(path.join(root, check.needs))) continue;
    const started = performance.now();
    const { code, output } = await run(root, check);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? "ok    " : "FAILED"} ${check.name} (${seconds} s)\n`);
    if (code === 0) continue;
    process.stdout.write(output);
    process.exitCode = 1;
  }
}

function run(root, { tool, words }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, tool), ...words], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: Buffer.concat(chunks) }));
  });
}
