import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");
const notSources = ["dist", "lib", ".git", ".switchyard", ".env"];
const packageFolders = ["node_modules", "src/node_modules", "web/node_modules"];

const isSource = (file: string): boolean =>
  path.basename(file) !== "node_modules" && !notSources.includes(path.relative(root, file));

/** A copy of this repository that can be changed and tested. It shares the installed packages and has a web UI of its own, already built. */
export function copyRepository() {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "switchyard-copy-")));
  cpSync(root, folder, { recursive: true, filter: isSource });
  cpSync(path.join(root, "dist/web"), path.join(folder, "dist/web"), { recursive: true });
  for (const name of packageFolders.filter((one) => existsSync(path.join(root, one))))
    symlinkSync(path.join(root, name), path.join(folder, name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
