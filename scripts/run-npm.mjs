import path from "node:path";
import { runChild } from "./run-child.mjs";

// Install scripts are not needed, and many machines block them: what PostgreSQL's would do, src/storage does itself.
const always = ["--include=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Runs the npm that runs this process, or the one of the path; all it says goes to stderr. */
export async function runNpm(folder, words, onStart) {
  const npm = process.env.npm_execpath ?? "";
  const options = { cwd: folder, stdio: ["ignore", 2, 2] };
  const line = [...words, ...always];
  const code =
    path.basename(npm) === "npm-cli.js"
      ? await runChild(process.execPath, [npm, ...line], options, onStart)
      : await runChild("npm", line, { ...options, shell: process.platform === "win32" }, onStart);
  if (code !== 0)
    throw new Error(
      "could not install the dependencies (see npm's message above); is the npm registry reachable? Then try again",
    );
}
