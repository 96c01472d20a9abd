import { readdirSync, readFileSync } from "node:fs";
import { listPostgres, listTree } from "../test/support/processes.ts";

export type Parts = { server: number[]; postgres: number[] };

/** The processes of an installation: the server with its helpers, and PostgreSQL with its sessions. */
export function listParts(pid: number, dataDir: string): Parts {
  const postgres = listPostgres(dataDir);
  return { postgres, server: listTree(pid).filter((one) => !postgres.includes(one)) };
}

/** Microseconds on a processor since now, of the threads that are still there then: PostgreSQL ends some processes of its own at will. */
export function startProcessorClock({ server, postgres }: Parts): () => { server: number; postgres: number } {
  const clocks = { server: startClock(server), postgres: startClock(postgres) };
  return () => ({ server: clocks.server(), postgres: clocks.postgres() });
}

function startClock(pids: number[]): () => number {
  const before = readThreads(pids);
  return () =>
    [...readThreads(pids)].reduce(
      (sum, [thread, now]) => sum + Math.max(0, now - (before.get(thread) ?? 0)) / 1_000,
      0,
    );
}

/** Nanoseconds on a processor, which come first in that line. */
function readThreads(pids: number[]): Map<string, number> {
  const folders = pids.flatMap((pid) => listFolder(`/proc/${pid}/task`));
  return new Map(folders.map((folder) => [folder, Number(readText(`${folder}/schedstat`).split(" ")[0])]));
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "0";
  }
}
