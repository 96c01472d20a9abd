import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compressFiles } from "./compress-files.mjs";
import { hashFiles } from "./hash-files.mjs";
import { withLock } from "./lock.mjs";
import { runChild } from "./run-child.mjs";

const sources = ["web/**", "src/*/wire.ts", "package-lock.json", "scripts/compress-files.mjs"];

/** Builds the web UI into dist/web unless the one there came from the same sources. */
export async function buildWeb(root) {
  if (!existsSync(path.join(root, "web", "index.html")) || isBuilt(root)) return;
  await withLock(path.join(root, "dist", "build-web.lock"), async () => {
    if (isBuilt(root)) return;
    process.stderr.write("switchyard: building the web UI\n");
    const hash = hashFiles(root, sources);
    await runVite(root);
    await compressFiles(path.join(root, "dist", "web"));
    writeFileSync(stampFile(root), hash);
  });
}

function isBuilt(root) {
  return existsSync(stampFile(root)) && readFileSync(stampFile(root), "utf8") === hashFiles(root, sources);
}

function stampFile(root) {
  return path.join(root, "dist", "web", ".sources");
}

async function runVite(root) {
  const vite = path.join(root, "node_modules", "vite", "bin", "vite.js");
  const words = [vite, "build", "web", "--logLevel", "warn"];
  const code = await runChild(process.execPath, words, { cwd: root, stdio: ["ignore", 2, 2] });
  if (code !== 0) throw new Error("the web UI could not be built (see the message above)");
}
