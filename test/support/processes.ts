import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

type Process = { pid: number; parent: number; command: string };

/** Every process of the machine; on Linux and macOS the command is followed by the environment it was started with. */
export function listProcesses(): Process[] {
  const text = execFileSync("ps", ["axeww", "-o", "pid=,ppid=,args="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? "" }];
  });
}

/** The process and everything below it, the process itself first. */
export function listTree(pid: number, processes = listProcesses()): number[] {
  const children = processes.filter(({ parent }) => parent === pid);
  return [pid, ...children.flatMap((child) => listTree(child.pid, processes))];
}

/** The process number of the embedded PostgreSQL of a data folder. */
export function postgresPid(dataDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path.join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  return sendSignal(pid, 0);
}

/** The PostgreSQL of a data folder with all its sessions; a left-over lock file that names a foreign process counts for nothing. */
export function listPostgres(dataDir: string): number[] {
  const processes = listProcesses();
  const pid = postgresPid(dataDir);
  const isRunning = processes.some(
    (entry) => entry.pid === pid && entry.command.includes(path.join(dataDir, "postgres")),
  );
  return pid !== undefined && isRunning ? listTree(pid, processes) : [];
}

/** Processes that still work for this data folder. */
export const leftovers = (dataDir: string): Process[] =>
  listProcesses().filter(
    ({ pid, command }) => pid !== process.pid && command.includes(dataDir) && !command.startsWith("ps "),
  );

export async function killAll(pids: number[]): Promise<void> {
  for (const pid of pids) sendSignal(pid, "SIGKILL");
  const deadline = performance.now() + 5_000;
  while (pids.some(isRunning) && performance.now() < deadline) await delay(10);
}

// A zombie that nobody has collected yet runs no more.
function isRunning(pid: number): boolean {
  try {
    return execFileSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" }).trim()[0] !== "Z";
  } catch {
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
