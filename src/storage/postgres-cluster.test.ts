import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  chownAll,
  clusterOf,
  createTestClusters,
  endGently,
  nobody,
  rowsOf,
  serverPid,
  type TestClusters,
  whenUp,
} from "../../test/support/storage/test-clusters.ts";
import { runSql, silentLog } from "../../test/support/storage/test-postgres.ts";
import { canEnter, isRoot } from "./postgres-account.ts";
import { findPackageDir } from "./postgres-binaries.ts";
import { isProcessAlive } from "./postgres-process.ts";

let clusters: TestClusters;

beforeAll(async () => {
  clusters = await createTestClusters();
});
afterAll(() => clusters.remove());

test("starts on an empty private folder, keeps the data, and leaves no process or draft behind", async () => {
  const dataDir = await mkdtemp(path.join(clusters.scratch, "fresh-"));
  const killedStarter = spawn("true");
  await once(killedStarter, "close");
  await mkdir(path.join(dataDir, `postgres.draft-${killedStarter.pid}-0badf00d`, "base"), { recursive: true });
  const postgres = await clusters.start(dataDir);
  await runSql(postgres.target, "CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)");
  const pid = await serverPid(clusterOf(dataDir));
  await postgres.close();
  await expect.poll(() => isProcessAlive(pid)).toBe(false);
  const again = await clusters.start(dataDir);
  expect(await rowsOf(again.target)).toEqual([{ id: 1 }]);
  expect(await readdir(dataDir)).toEqual(["postgres"]);
  expect((await stat(dataDir)).mode & 0o777).toBe(isRoot() ? 0o711 : 0o700);
  expect((await stat(clusterOf(dataDir))).mode & 0o777).toBe(0o700);
  expect((await stat(clusterOf(dataDir))).uid).not.toBe(0);
});

test("works as an ordinary user", async () => {
  const dataDir = path.join(clusters.scratch, "ordinary");
  await mkdir(dataDir);
  const lend = isRoot() && (await canEnter(import.meta.dirname, nobody));
  if (lend) await chown(dataDir, nobody.uid, nobody.gid);
  const child = clusters.startInProcess(dataDir, lend ? nobody : {});
  await whenUp(child);
  const pid = await serverPid(clusterOf(dataDir));
  if (lend) expect((await stat(`/proc/${pid}`)).uid).toBe(nobody.uid);
  await endGently(child);
  await expect.poll(() => isProcessAlive(pid), { timeout: 10_000 }).toBe(false);
});

test("runs data of an ordinary user as that user when started by root", async () => {
  const dataDir = await clusters.copyTemplate("owned");
  if (isRoot()) await chownAll(clusterOf(dataDir), nobody);
  const { target } = await clusters.start(dataDir);
  expect(await rowsOf(target)).toEqual([{ id: 1 }]);
  expect((await stat(path.join(clusterOf(dataDir), "postmaster.pid"))).uid).toBe(
    isRoot() ? nobody.uid : process.getuid?.(),
  );
});

test("works below a path too long for a socket", async () => {
  const dataDir = await clusters.copyTemplate(path.join("long", "x".repeat(60), "y".repeat(60)));
  const { target } = await clusters.start(dataDir);
  expect(await rowsOf(target)).toEqual([{ id: 1 }]);
  const { host } = target as { host: string };
  onTestFinished(() => rm(host, { recursive: true, force: true }));
  expect(path.dirname(host)).toBe(tmpdir());
  expect((await stat(host)).mode & 0o777).toBe(0o700);
});

test("keeps data and programs elsewhere when the folders above them are private to root", async () => {
  const lines: string[] = [];
  const log = Object.assign(Object.create(silentLog), { info: (_: unknown, message: string) => lines.push(message) });
  const home = path.join(clusters.scratch, "private");
  await mkdir(home, { mode: 0o700 });
  const packageDir = path.join(home, "package");
  await cp(findPackageDir(), packageDir, { recursive: true, verbatimSymlinks: true });
  const systemDir = path.join(clusters.scratch, "private-system");
  const dataDir = path.join(home, "data");
  for (const _ of ["first", "second"]) {
    const { target, close } = await clusters.start(dataDir, { packageDir, systemDir, log });
    const [found] = await runSql(target, "SELECT current_setting('data_directory') AS folder");
    const folder = String(found?.folder);
    const command = (await readFile(`/proc/${await serverPid(folder)}/cmdline`, "utf8")).split("\0")[0];
    expect(folder.startsWith(isRoot() ? systemDir : dataDir)).toBe(true);
    expect(command?.startsWith(isRoot() ? path.join(systemDir, "postgresql-18") : packageDir)).toBe(true);
    await close();
  }
  expect(lines.filter((line) => line.includes("outside the data folder"))).toHaveLength(isRoot() ? 2 : 0);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test("creates the library links that a blocked install script left out, also when raced", async () => {
  const packageDir = path.join(clusters.scratch, "bare-package");
  await cp(findPackageDir(), packageDir, { recursive: true, verbatimSymlinks: true });
  const lib = path.join(packageDir, "native/lib");
  for (const entry of await readdir(lib, { withFileTypes: true }))
    if (entry.isSymbolicLink()) await unlink(path.join(lib, entry.name));
  const other = await clusters.copyTemplate("bare");
  const [one, two] = await Promise.all([
    clusters.start(clusters.template, { packageDir }),
    clusters.start(other, { packageDir }),
  ]);
  expect(await rowsOf(one.target)).toEqual([{ id: 1 }]);
  expect(await rowsOf(two.target)).toEqual([{ id: 1 }]);
});

test("says what is wrong with the data folder", async () => {
  const old = await clusters.copyTemplate("old");
  await writeFile(path.join(clusterOf(old), "PG_VERSION"), "17\n");
  await expect(clusters.start(old)).rejects.toThrow(/written by PostgreSQL 17, .* brings PostgreSQL 18/);

  const file = path.join(clusters.scratch, "file");
  await writeFile(file, "");
  await expect(clusters.start(path.join(file, "data"))).rejects.toThrow(/cannot be written \(ENOTDIR\)/);

  const occupied = path.join(clusters.scratch, "occupied");
  await mkdir(path.join(occupied, "postgres", "photos"), { recursive: true });
  await expect(clusters.start(occupied)).rejects.toThrow(/cannot be used \(ENOENT\). It holds other files/);
});

test("asks for DATABASE_URL where the programs cannot run", async () => {
  const packageDir = path.join(clusters.scratch, "musl-package");
  await mkdir(path.join(packageDir, "native/bin"), { recursive: true });
  for (const folder of ["lib", "share"]) await mkdir(path.join(packageDir, "native", folder));
  await writeFile(path.join(packageDir, "native/pg-symlinks.json"), "[]");
  for (const name of ["initdb", "postgres"])
    await writeFile(path.join(packageDir, "native/bin", name), "#!/nonexistent/loader\n", { mode: 0o755 });
  await expect(clusters.start(path.join(clusters.scratch, "musl"), { packageDir })).rejects.toThrow(
    /glibc.*DATABASE_URL/,
  );
});
