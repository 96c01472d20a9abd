import { chmod, mkdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";

/** The user PostgreSQL runs as; undefined means "as ourselves". */
export type Account = { uid: number; gid: number } | undefined;

export const isRoot = (): boolean => process.geteuid?.() === 0;

/** PostgreSQL refuses to run as root, so root lends it an ordinary user: the owner of existing data, else `postgres`, else `nobody`. */
export async function chooseAccount(existingCluster: string | undefined): Promise<Account> {
  if (!isRoot()) return undefined;
  if (existingCluster !== undefined) {
    const { uid, gid } = await stat(existingCluster);
    if (uid !== 0) return { uid, gid };
  }
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    "PostgreSQL does not run as root and there is no user `postgres` or `nobody`. Start Switchyard as an ordinary user or set DATABASE_URL.",
  );
}

/** Whether that user gets through the folder and all folders above it. */
export async function canEnter(folder: string, account: Account): Promise<boolean> {
  const resolved = await realpath(folder);
  if (!(await hasPermissions(resolved, 0o1, account))) return false;
  const parent = path.dirname(resolved);
  return parent === resolved || canEnter(parent, account);
}

/** `bits` as in one octal digit of a mode: 4 read, 2 write, 1 execute. */
export async function hasPermissions(file: string, bits: number, account: Account): Promise<boolean> {
  if (account === undefined) return true;
  const { mode, uid, gid } = await stat(file);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bits) === bits;
}

/** Made for the other user to pass through, not to look around. */
export async function makeEnterable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { mode } = await stat(folder);
  if ((mode & 0o011) !== 0o011) await chmod(folder, (mode & 0o777) | 0o011);
}
