import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import nodePackage from "../../scripts/node/package.json" with { type: "json" };

interface ChooseNode {
  chooseNode(machine: { folder: string; version: string; platform: string; arch: string }): Promise<string>;
}

const scripts = path.join(path.resolve(import.meta.dirname, "../.."), "scripts");
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
  appendFileSync(process.env.FAKE_NPM_RUNS, process.argv.slice(2).join(" ") + "\\n");
  console.log("npm talks on stdout");
  appendFileSync(process.env.FAKE_NPM_RUNS.replace("npm-runs", "npm-moments"), "begins\\n");
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.FAKE_NPM_TAKES_MS ?? 300)));
  mkdirSync("node_modules", { recursive: true });
  appendFileSync(process.env.FAKE_NPM_RUNS.replace("npm-runs", "npm-moments"), "ends\\n");
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
    writeFileSync(
      path.join(root, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, ...packages, ...foreign } }),
    );
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

  it("waits for the npm of a start that was killed, so that two are never at work", async () => {
    const first = launch(["one"], { env: { FAKE_NPM_TAKES_MS: "4000" } });
    await expect.poll(() => existsSync(path.join(root, "npm-runs")), { timeout: 10_000 }).toBe(true);
    first.kill("SIGKILL");
    await once(first, "exit");
    expect((await start(["two"])).code).toBe(0);
    const moments = readFileSync(path.join(root, "npm-moments"), "utf8").trim().split("\n");
    expect(moments).toEqual(["begins", "ends", "begins", "ends"]);
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

describe("the command of the package", () => {
  // Only root can start a process as a user whom the machine does not know.
  it.runIf(process.getuid?.() === 0)("says in words that its user has no home", async () => {
    chmodSync(root, 0o755);
    const child = spawn(process.execPath, [path.join(root, "scripts", "switchyard.mjs"), "keys"], {
      uid: 54_321,
      gid: 54_321,
      env: {},
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/^switchyard: this user has no home folder .*; set HOME or XDG_CACHE_HOME .*\n$/),
    ]);
  });
});

describe("the start script on an old Node", () => {
  it("says in words that the Node from npm does not run on this machine", async () => {
    await start([]);
    const binary = installNode(process);
    rmSync(binary);
    // As a program for glibc looks to a machine with musl: the file is there, its loader is not.
    writeFileSync(binary, "#!/nowhere/ld-linux.so.2\n", { mode: 0o755 });
    const { code, stderr } = await start(["one"], { isOld: true });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^switchyard: the Node\.js that npm has for .* does not run here .*; install Node\.js 22\.18 or newer\n$/,
      ),
    ]);
  });

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
    installNode(process);
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
  const machine = { folder: "/nowhere", version: "20.1.0", platform: "freebsd", arch: "x64" };

  it.each(["22.18.0", "22.20.1", "24.0.0", "26.1.0", "100.0.0"])(
    "stays in this process on Node %s",
    async (version) => {
      const { chooseNode } = await loadChooseNode();
      expect(await chooseNode({ ...machine, version })).toBe("this process");
    },
  );

  it.each(["20.20.2", "21.9.0", "22.17.9", "23.11.0"])("takes the one from npm on Node %s", async (version) => {
    const { chooseNode } = await loadChooseNode();
    const folder = path.join(root, "dist", "node");
    const binary = installNode({ platform: "win32", arch: "x64" });
    expect(await chooseNode({ folder, version, platform: "win32", arch: "x64" })).toBe(binary);
  });

  it.each([
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "x64"],
    ["darwin", "arm64"],
  ])("knows one for %s %s", async (platform, arch) => {
    const { chooseNode } = await loadChooseNode();
    const binary = installNode({ platform, arch });
    expect(await chooseNode({ folder: path.join(root, "dist", "node"), version: "20.1.0", platform, arch })).toBe(
      binary,
    );
  });

  it("says what is needed where npm has none", async () => {
    const { chooseNode } = await loadChooseNode();
    await expect(chooseNode(machine)).rejects.toThrow(
      "needs Node.js 22.18 or newer; this is 20.1.0, and npm has no Node.js for freebsd x64",
    );
  });
});

describe("what is installed", () => {
  it("is what the start needs, and for tests the rest as well", async () => {
    await start(["keys", "list"]);
    expect(npmLines()).toEqual([expect.stringMatching(/^install --no-save --omit=dev /)]);
    await start(["--tool", "constructor"]);
    expect(npmLines()[1]).toMatch(/^install --no-save --include=dev /);
    await start(["keys", "list"]);
    expect(npmRuns()).toBe(2);
  });

  it("stays complete for whoever ran the tests when the lockfile changes", async () => {
    await start(["--tool", "constructor"]);
    writeLockfile("two");
    await start(["keys", "list"]);
    expect(npmLines()[1]).toContain("--include=dev");
  });

  it("is a Node for an old machine only, and once", async () => {
    await start([]);
    expect(npmLines().filter((line) => line.startsWith("ci"))).toEqual([]);
    const { code, stderr } = await start([], { isOld: true });
    // The npm of this test brings none.
    expect({ code, said: stderr.includes("npm brought no Node.js") }).toEqual({ code: 1, said: true });
    expect(npmLines().filter((line) => line.startsWith("ci --include=optional --ignore-scripts"))).toHaveLength(1);
  });
});

interface Options {
  readonly env?: Record<string, string>;
  /** The machine's Node is old, and one from npm is there. */
  readonly onOldNode?: boolean;
  /** The machine's Node is old, and there is no other yet. */
  readonly isOld?: boolean;
}

async function start(words: string[], options: Options = {}) {
  const child = launch(words, options);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const [code] = await once(child, "close");
  return { code, ...output };
}

function launch(words: string[], { env = {}, onOldNode = false, isOld = onOldNode }: Options) {
  if (onOldNode) installNode(process);
  const [command, line] = commandLine(words, isOld);
  return spawn(command, line, { env: environment(env), stdio: ["ignore", "pipe", "pipe"] });
}

function commandLine(words: string[], isOld: boolean): [string, string[]] {
  return [
    process.execPath,
    [...(isOld ? ["--import", oldNode] : []), path.join(root, "scripts", "start.mjs"), ...words],
  ];
}

function environment(more: Record<string, string> = {}) {
  const npmFiles = { npm_execpath: path.join(root, "npm", "npm-cli.js"), FAKE_NPM_RUNS: path.join(root, "npm-runs") };
  return { PATH: process.env.PATH, ...npmFiles, npm_lifecycle_event: "start", ...more };
}

/** What getting a Node from npm leaves behind. */
function installNode({ platform, arch }: { platform: string; arch: string }): string {
  const folder = path.join(root, "dist", "node");
  const name =
    Object.keys(nodePackage.optionalDependencies).find((one) =>
      one.endsWith(`-${platform.replace("win32", "win")}-${arch}`),
    ) ?? "";
  const binary = path.join(folder, "node_modules", name, "bin", platform === "win32" ? "node.exe" : "node");
  mkdirSync(path.dirname(binary), { recursive: true });
  if (!existsSync(binary)) symlinkSync(process.execPath, binary);
  const lockfile = readFileSync(path.join(scripts, "node", "package-lock.json"));
  writeFileSync(path.join(folder, ".installed"), createHash("sha256").update(lockfile).digest("hex"));
  return binary;
}

function writeLockfile(name: string): void {
  writeFileSync(
    path.join(root, "package-lock.json"),
    JSON.stringify({ name, lockfileVersion: 3, packages: { "": { name } } }),
  );
}

const npmRuns = (): number => npmLines().length;

function npmLines(): string[] {
  const file = path.join(root, "npm-runs");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

async function pidOfDeadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

async function loadChooseNode(): Promise<ChooseNode> {
  return (await import(pathToFileURL(path.join(scripts, "choose-node.mjs")).href)) as ChooseNode;
}
