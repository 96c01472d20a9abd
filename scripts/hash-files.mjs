import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** One hash of the names and contents of all files that fit the patterns. */
export function hashFiles(root, patterns, exclude = []) {
  const hash = createHash("sha256");
  for (const name of globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", ...exclude] }).sort()) {
    const file = path.join(root, name);
    if (statSync(file).isFile())
      hash.update(`${name}\0`).update(createHash("sha256").update(readFileSync(file)).digest());
  }
  return hash.digest("hex");
}
