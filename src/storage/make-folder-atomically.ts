import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isProcessAlive } from "./postgres-process.ts";

/** Fills a new folder under another name and renames it, so that `target` is whole or absent even when killed or raced by another process. */
export async function makeFolderAtomically(target: string, fill: (draft: string) => Promise<void>): Promise<void> {
  await removeAbandonedDrafts(target);
  const draft = `${target}${draftMark}${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await fill(draft);
    await rename(draft, target);
    await syncFolder(path.dirname(target));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const wonByAnother = code === "ENOTEMPTY" || code === "EEXIST";
    if (!wonByAnother) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const draftMark = ".draft-";
// In a container a leftover often carries the number of a process that is alive again: ours.
const abandonedAfterMs = 5 * 60_000;

async function removeAbandonedDrafts(target: string): Promise<void> {
  const parent = path.dirname(target);
  const prefix = `${path.basename(target)}${draftMark}`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const draft = path.join(parent, name);
    const ageMs = Date.now() - (await stat(draft).then((found) => found.mtimeMs, Date.now));
    const makerPid = Number.parseInt(name.slice(prefix.length), 10);
    if (ageMs > abandonedAfterMs || !isProcessAlive(makerPid)) await rm(draft, { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
