import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
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
  if (!existsSync(memory)) return;
  for (const name of readdirSync(memory).filter((entry) => entry.startsWith(prefix)))
    if (!isAlive(Number(name.slice(prefix.length).split("-")[0]))) rmSync(path.join(memory, name), { recursive: true, force: true });
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < neededBytes) return;
  const folder = mkdtempSync(path.join(memory, `${prefix}${process.pid}-`));
  // As the folder it stands in for: the database and others run as users of their own.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
