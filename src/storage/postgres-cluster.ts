import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, chown, constants, lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Logger } from "pino";
import { makeFolderAtomically } from "./make-folder-atomically.ts";
import { type Account, canEnter, chooseAccount, isRoot, makeEnterable } from "./postgres-account.ts";
import { runProgram, type ServerPlace, socketFile } from "./postgres-process.ts";

export const databaseUser = "switchyard";

/** Where the data lives and who PostgreSQL runs as. Makes the folders around the data enterable, but not the data. */
export async function choosePlace(options: { dataDir: string; systemDir: string; log: Logger }): Promise<ServerPlace> {
  const { systemDir, log } = options;
  const dataDir = await openDataDir(options.dataDir);
  const own = path.join(dataDir, "postgres");
  const fallback = path.join(systemDir, shortHash(dataDir), "postgres");
  const existing = [own, fallback].find(isCluster);
  const account = await chooseAccount(existing);
  const clusterDir = await chooseClusterDir({ own, fallback, existing, account });
  if (clusterDir === fallback) {
    await makeEnterable(systemDir);
    await makeEnterable(path.dirname(fallback));
    log.info(
      { folder: clusterDir },
      "The database is kept outside the data folder, because PostgreSQL's user cannot enter the folders above it.",
    );
  }
  return { clusterDir, socketDir: await openSocketDir(clusterDir, account), account };
}

/** Creates the database files once; a killed attempt leaves nothing that a later one would take for data. */
export async function ensureCluster(initdb: string, { clusterDir, account }: ServerPlace): Promise<void> {
  if (!isCluster(clusterDir)) {
    await makeFolderAtomically(clusterDir, async (draft) => {
      if (account !== undefined) await chown(draft, account.uid, account.gid);
      await runProgram(initdb, ["-D", draft, "-U", databaseUser, ...initdbOptions], account);
    });
  }
  const version = (
    await readFile(path.join(clusterDir, "PG_VERSION"), "utf8").catch(explainUnreadable(clusterDir))
  ).trim();
  if (version !== majorVersion) {
    throw new Error(
      `The data in ${clusterDir} was written by PostgreSQL ${version}, but this version of Switchyard brings PostgreSQL ${majorVersion}. ` +
        "Take a backup with the older version of Switchyard and restore it with this one into an empty data folder.",
    );
  }
}

const majorVersion = "18";
const initdbOptions = [
  "--auth=trust",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--no-instructions",
];
// sun_path holds 108 bytes on Linux and 104 elsewhere, with the closing zero.
const maxSocketPathBytes = process.platform === "linux" ? 107 : 103;

const isCluster = (folder: string): boolean => existsSync(path.join(folder, "PG_VERSION"));
const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

async function openDataDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK | constants.X_OK);
    if (isRoot()) await makeEnterable(dataDir);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(
      `The data folder ${path.resolve(dataDir)} cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
      { cause: error },
    );
  }
}

type ClusterChoice = { own: string; fallback: string; existing: string | undefined; account: Account };

async function chooseClusterDir({ own, fallback, existing, account }: ClusterChoice): Promise<string> {
  if (existing === fallback) return fallback;
  if (await canEnter(path.dirname(own), account)) return own;
  if (existing === undefined) return fallback;
  throw new Error(
    `PostgreSQL's user cannot enter the folders above ${own}. Allow it (chmod o+x on each), or move the data folder.`,
  );
}

function explainUnreadable(clusterDir: string) {
  return (error: NodeJS.ErrnoException): never => {
    const guess =
      error.code === "ENOENT"
        ? "It holds other files."
        : "It may belong to another user than the one Switchyard runs as.";
    throw new Error(`The database folder ${clusterDir} cannot be used (${error.code}). ${guess}`, { cause: error });
  };
}

async function openSocketDir(clusterDir: string, account: Account): Promise<string> {
  if (Buffer.byteLength(socketFile(clusterDir)) <= maxSocketPathBytes) return clusterDir;
  const folder = path.join(tmpdir(), `switchyard-${shortHash(clusterDir)}`);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (account !== undefined) await chown(folder, account.uid, account.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // The temporary folder is shared: a folder made by somebody else could hold a false server.
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === (account?.uid ?? process.geteuid?.()) && (found.mode & 0o077) === 0)
    return folder;
  throw new Error(
    `The folder ${folder}, needed for the database's socket, belongs to somebody else. Remove it, or use a shorter data folder path.`,
  );
}
