import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { isAlive } from "./lock.mjs";

const memory = "/dev/shm";
const neededBytes = 4_000_000_000;
const prefix = "switchyard-tests-";

/**
 * Puts the temporary files of this process and its children into memory where there is enough of it: the tests make hundreds of databases
 * that nobody keeps, and wait for the disk more than for anything else. The folder goes when the process ends, at the latest with the next run.
 */
export function keepTemporaryFilesInMemory() {
  if (process.platform !== "linux" || process.env.TMPDIR) return;
  try {
    removeLeftovers();
    const folder = makeFolder();
    if (folder) process.env.TMPDIR = folder;
  } catch {
    // It only saves time: whatever stands in the way, the usual folder does as well.
  }
}

/** Those of one's own runs that were killed; somebody else's are theirs. */
function removeLeftovers() {
  for (const name of readdirSync(memory).filter((entry) => entry.startsWith(prefix))) {
    const folder = path.join(memory, name);
    const isLeft = !isAlive(Number(name.slice(prefix.length).split("-")[0]));
    if (isLeft && statSync(folder).uid === process.getuid()) rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder() {
  const { bavail, bsize } = statfsSync(memory);
  const [, freeKilobytes = "0"] = /^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
  if (Math.min(bavail * bsize, Number(freeKilobytes) * 1024) < neededBytes) return undefined;
  const folder = mkdtempSync(path.join(memory, `${prefix}${process.pid}-`));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // As the folder it stands in for: the database and others run as users of their own.
  chmodSync(folder, 0o1777);
  return mayExecute(folder) ? folder : undefined;
}

/** Many containers forbid to execute what is there, and tests start programs that they have just unpacked. */
function mayExecute(folder) {
  const program = path.join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
