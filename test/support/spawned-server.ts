import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createBrowser } from "./browser-client.ts";
import { freePort } from "./free-port.ts";
import { killAll, listPostgres, listProcesses, listTree, postgresPid } from "./processes.ts";

const root = path.resolve(import.meta.dirname, "../..");
const startScript = path.join(root, "scripts", "start.mjs");
const readyLimitMs = 90_000;
const commandLimitMs = 15_000;

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

type SpawnOptions = {
  /** Everything the process finds in its environment besides PATH. */
  environment?: Record<string, string>;
  account?: { uid?: number; gid?: number };
  throughNpm?: boolean;
  limitMs?: number;
  /** What it finds in its standard input; nothing when left out. */
  input?: string;
};

/** `switchyard <words>` as a process of its own. */
export function spawnSwitchyard(words: string[], options: SpawnOptions = {}) {
  const { environment = {}, account = {}, throughNpm = false, limitMs, input } = options;
  requireInstalled();
  const [program, ...parameters] = throughNpm
    ? ["npm", "start", "--", ...words.slice(1)]
    : [process.execPath, startScript, ...words];
  const env = {
    PATH: process.env.PATH ?? "",
    // The same on machines of any size; what several processes do has tests of its own.
    PROCESSES: "1",
    ...(throughNpm ? { HOME: process.env.HOME ?? "/" } : {}),
    ...environment,
  };
  const child = spawn(program as string, parameters, {
    cwd: root,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: limitMs,
    ...account,
  });
  // A program that never reads it may be gone by then.
  child.stdin.on("error", () => {}).end(input ?? "");
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => (output[name] += chunk.toString()));
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }) as Ended);
  return { child, pid: child.pid ?? 0, output, ended };
}

/** Runs an operator command to its end, which must come soon. */
export const runSwitchyard = (words: string[], environment: Record<string, string>, input?: string): Promise<Ended> =>
  spawnSwitchyard(words, { environment, limitMs: commandLimitMs, ...(input === undefined ? {} : { input }) }).ended;

export type SpawnedServer = Awaited<ReturnType<typeof startServer>>;

type ServerOptions = SpawnOptions & { dataDir: string; roles?: string; ports?: { platform: number; gateway: number } };

/** `switchyard serve` as a process of its own, ready to answer. */
export async function startServer({ dataDir, roles, ports, environment, ...options }: ServerOptions) {
  const { platform, gateway } = ports ?? { platform: await freePort(), gateway: await freePort() };
  const server = spawnSwitchyard(["serve", ...(roles === undefined ? [] : ["--roles", roles])], {
    ...options,
    environment: {
      PLATFORM_API_PORT: String(platform),
      MCP_API_PORT: String(gateway),
      SWITCHYARD_DATA_DIR: dataDir,
      ...environment,
    },
  });
  const platformUrl = `http://localhost:${platform}`;
  try {
    await whenReady(server);
  } catch (error) {
    await killAll(listTree(server.pid));
    throw error;
  }
  return {
    ...server,
    ports: { platform, gateway },
    platformUrl,
    gatewayUrl: `http://localhost:${gateway}`,
    browser: () => createBrowser(platformUrl),
    postgresPid: () => postgresPid(dataDir),
    async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
      server.child.kill(signal);
      return await server.ended;
    },
    /** Without a chance to say good-bye; PostgreSQL stays. */
    async kill(): Promise<void> {
      // Found by the environment, which PostgreSQL does not get: when npm is gone, nothing else leads from it to the server.
      const own = listProcesses().filter(({ command }) => new RegExp(`PLATFORM_API_PORT=${platform}\\b`).test(command));
      await killAll(own.map(({ pid }) => pid));
      await server.ended;
    },
  };
}

/** A data folder that PostgreSQL's own user may enter. `remove` also ends a database that was left there. */
export function createDataDir() {
  const dataDir = mkdtempSync(path.join(tmpdir(), "switchyard-served-"));
  chmodSync(dataDir, 0o711);
  return {
    dataDir,
    async remove() {
      await killAll(listPostgres(dataDir));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

// A start would install what is missing, and a test that runs out of time would cut that off in the middle.
function requireInstalled(): void {
  const hash = createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .digest("hex");
  const stamp = path.join(root, "node_modules", ".switchyard-install");
  if (!existsSync(stamp) || !readFileSync(stamp, "utf8").startsWith(`everything ${hash} `))
    throw new Error(
      "The dependencies are not those of package-lock.json. Run the tests with `npm test`, which installs them first.",
    );
}

async function whenReady({ child, output }: ReturnType<typeof spawnSwitchyard>): Promise<void> {
  const deadline = performance.now() + readyLimitMs;
  while (!output.stdout.includes("Switchyard is ready")) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The server ended: ${output.stderr}`);
    if (performance.now() > deadline) throw new Error(`The server is not ready: ${output.stdout}${output.stderr}`);
    await delay(20);
  }
}
