import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, existsSync } from "node:fs";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Account } from "./postgres-account.ts";

export type ServerPlace = { clusterDir: string; socketDir: string; account: Account };

export const socketPort = 5432;
export const socketFile = (socketDir: string): string => path.join(socketDir, `.s.PGSQL.${socketPort}`);

/** Starts a server that outlives us; `reason()` gives what it wrote to its log since. */
export async function spawnServer(program: string, place: ServerPlace, settings: Record<string, string>) {
  const { clusterDir, socketDir, account } = place;
  const logFile = path.join(clusterDir, "server.log");
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  );
  const truncate = size > maxLogBytes;
  const flags =
    constants.O_WRONLY |
    constants.O_CREAT |
    constants.O_APPEND |
    constants.O_NOFOLLOW |
    (truncate ? constants.O_TRUNC : 0);
  const log = await open(logFile, flags, 0o600);
  try {
    if (account !== undefined) await log.chown(account.uid, account.gid);
    const all = { ...defaultSettings, unix_socket_directories: socketDir, ...settings };
    const child = spawn(
      program,
      ["-D", clusterDir, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      {
        // A process group of its own: Ctrl-C in the terminal must not stop the database before we flushed to it.
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        cwd: clusterDir,
        ...childOptions(account),
      },
    );
    await whenSpawned(child, program);
    child.unref();
    return {
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      reason: async () =>
        (await readFile(logFile))
          .subarray(truncate ? 0 : size)
          .toString()
          .trim()
          .split("\n")
          .slice(-logTailLines)
          .join("\n"),
    };
  } finally {
    await log.close();
  }
}

export async function runProgram(program: string, parameters: string[], account: Account): Promise<void> {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"], cwd: "/", ...childOptions(account) });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const closed = once(child, "close").catch(() => {});
  await whenSpawned(child, program);
  await closed;
  if (child.exitCode !== 0)
    throw new Error(`${path.basename(program)} failed:\n${output.trim().split("\n").slice(-logTailLines).join("\n")}`);
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export async function readServerPid(clusterDir: string): Promise<number | undefined> {
  const pid = await readOwnerPid(path.join(clusterDir, "postmaster.pid"));
  return pid !== undefined && pid > 0 ? pid : undefined;
}

/** Fast shutdown; the crash-safe immediate one when that takes too long. */
export async function stopServer(clusterDir: string, pid: number): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    if (isProcessAlive(pid)) process.kill(pid, signal);
    const deadline = performance.now() + stopLimitMs;
    while (performance.now() < deadline) {
      // The file goes last; an unreaped zombie would look alive for ever.
      if (!isProcessAlive(pid) || (await readServerPid(clusterDir)) !== pid) return;
      await delay(10);
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop.`);
}

/**
 * PostgreSQL refuses to start while the process number in a left-over lock file is alive, although after a reboot it may be any program.
 * Our own number there makes it judge the file as stale, and it still checks the shared memory named in the file.
 */
export async function disownForeignLocks({ clusterDir, socketDir }: ServerPlace): Promise<void> {
  for (const file of [path.join(clusterDir, "postmaster.pid"), `${socketFile(socketDir)}.lock`]) {
    const pid = await readOwnerPid(file);
    if (pid === undefined || pid === process.pid) continue;
    if (Number.isNaN(pid)) {
      const ageMs = Date.now() - (await stat(file).then((found) => found.mtimeMs, Date.now));
      if (ageMs > emptyLockAgeMs) await rm(file, { force: true });
    } else if (isProcessAlive(pid) && !(await isServerOf(clusterDir, pid))) {
      const [, ...rest] = (await readFile(file, "utf8")).split("\n");
      await writeFile(file, [process.pid, ...rest].join("\n"));
    }
  }
}

const maxLogBytes = 10 * 1024 * 1024;
const logTailLines = 12;
const stopLimitMs = 10_000;
const emptyLockAgeMs = 2_000;

const defaultSettings = {
  listen_addresses: "",
  port: String(socketPort),
  unix_socket_permissions: "0700",
  timezone: "UTC",
  log_timezone: "UTC",
  // Small when idle: no worker processes that nobody needs, and only touched pages of the buffers count.
  io_method: "sync",
  max_logical_replication_workers: "0",
  max_connections: "60",
  shared_buffers: "64MB",
  huge_pages: "off",
  jit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  // The client gets every error anyway; in the log, statements and values could carry secrets.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

function childOptions(account: Account) {
  return { env: { LC_ALL: "C" }, ...(account ?? {}) };
}

async function whenSpawned(child: ChildProcess, program: string): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (error) {
    const missingLoader = (error as NodeJS.ErrnoException).code === "ENOENT" && existsSync(program);
    if (!missingLoader) throw error;
    throw new Error(
      "The built-in PostgreSQL needs glibc, which this system (Alpine or another musl system?) lacks. Set DATABASE_URL to a PostgreSQL server.",
      {
        cause: error,
      },
    );
  }
}

/** NaN for a file without a number, undefined without a file. */
async function readOwnerPid(lockFile: string): Promise<number | undefined> {
  const text = await readFile(lockFile, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  const command =
    process.platform === "linux"
      ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined)
      : await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]).then(
          ({ stdout }) => stdout,
          () => undefined,
        );
  // What cannot be looked at might be ours.
  return command === undefined ? isProcessAlive(pid) : command.includes(clusterDir);
}
