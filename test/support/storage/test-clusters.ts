import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { startEmbeddedPostgres } from "../../../src/storage/embedded-postgres.ts";
import { readServerPid } from "../../../src/storage/postgres-process.ts";
import { quickSettings, runSql, silentLog } from "./test-postgres.ts";

export type TestClusters = Awaited<ReturnType<typeof createTestClusters>>;

type StartOptions = Partial<Parameters<typeof startEmbeddedPostgres>[0]>;

export const nobody = { uid: 65_534, gid: 65_534 };
export const clusterOf = (dataDir: string) => path.join(dataDir, "postgres");
export const rowsOf = (target: Parameters<typeof runSql>[0]) => runSql(target, "SELECT id FROM kept");

/** Data folders for tests of the launcher. A fresh one costs a second, so most tests use `template` or a copy of it. */
export async function createTestClusters() {
  const scratch = await mkdtemp(path.join(tmpdir(), "switchyard-embedded-"));
  await chmod(scratch, 0o755);
  const template = path.join(scratch, "template");
  const optionsFor = (dataDir: string) => ({
    dataDir,
    systemDir: path.join(scratch, "system"),
    settings: quickSettings,
  });
  const first = await startEmbeddedPostgres({ ...optionsFor(template), log: silentLog });
  await runSql(first.target, "CREATE TABLE kept (id int); INSERT INTO kept VALUES (1); CREATE TABLE added (id int)");
  await first.close();

  return {
    scratch,
    template,

    async start(dataDir: string, more: StartOptions = {}) {
      const postgres = await startEmbeddedPostgres({ ...optionsFor(dataDir), log: silentLog, ...more });
      onTestFinished(() => postgres.close());
      return postgres;
    },

    async copyTemplate(name: string): Promise<string> {
      const dataDir = path.join(scratch, name);
      await mkdir(dataDir, { recursive: true });
      await cp(template, dataDir, { recursive: true });
      await chownAll(clusterOf(dataDir), await stat(clusterOf(template)));
      return dataDir;
    },

    /** Another Switchyard: writes "up" when the database answers, closes it when its input ends. */
    startInProcess(dataDir: string, account: { uid?: number; gid?: number } = {}): ChildProcess {
      const program = `
        const { startEmbeddedPostgres } = await import(${JSON.stringify(pathToFileURL(path.resolve(import.meta.dirname, "../../../src/storage/embedded-postgres.ts")).href)});
        const log = { info() {}, warn() {}, error() {} };
        const postgres = await startEmbeddedPostgres({ ...${JSON.stringify(optionsFor(dataDir))}, log });
        process.stdout.write("up");
        process.stdin.resume().on("end", async () => { await postgres.close(); process.exit(0); });`;
      const parameters = ["--input-type=module", "-e", program];
      const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "inherit"], cwd: "/", ...account });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },

    remove: () => rm(scratch, { recursive: true, force: true }),
  };
}

export async function chownAll(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await chown(path.join(entry.parentPath, entry.name), uid, gid);
  }
  await chown(folder, uid, gid);
}

export async function serverPid(clusterDir: string): Promise<number> {
  const pid = await readServerPid(clusterDir);
  if (pid === undefined) throw new Error("There is no server.");
  return pid;
}

export async function whenUp(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error("The process has no output.");
  const [output] = (await once(child.stdout, "data")) as unknown[];
  expect(String(output)).toBe("up");
}

export async function endGently(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  expect(await once(child, "close")).toEqual([0, null]);
}
