import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
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
import { createDatabase } from "./database.ts";
import { isRoot } from "./postgres-account.ts";
import { isProcessAlive, readServerPid } from "./postgres-process.ts";

let clusters: TestClusters;

beforeAll(async () => {
  clusters = await createTestClusters();
});
afterAll(() => clusters.remove());

test("listens on no network address and stays durable by default", async () => {
  const { target } = await clusters.start(clusters.template, { settings: {} });
  const names = [
    "listen_addresses",
    "fsync",
    "synchronous_commit",
    "unix_socket_permissions",
    "server_encoding",
    "io_method",
  ];
  const found = await runSql(
    target,
    `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`,
  );
  expect(found).toEqual([
    {
      listen_addresses: "",
      fsync: "on",
      synchronous_commit: "on",
      unix_socket_permissions: "0700",
      server_encoding: "UTF8",
      io_method: "sync",
    },
  ]);
});

test("adopts the database of a killed process and stops it at the end", async () => {
  const dataDir = clusters.template;
  const child = clusters.startInProcess(dataDir);
  await whenUp(child);
  child.kill("SIGKILL");
  await once(child, "close");
  const pid = await serverPid(clusterOf(dataDir));
  const postgres = await clusters.start(dataDir);
  expect(await serverPid(clusterOf(dataDir))).toBe(pid);
  expect(await rowsOf(postgres.target)).toEqual([{ id: 1 }]);
  await postgres.close();
  await expect.poll(() => existsSync(path.join(clusterOf(dataDir), "postmaster.pid")), { timeout: 10_000 }).toBe(false);
});

test("serves two processes that start together, and the last one turns off the light", async () => {
  const dataDir = path.join(clusters.scratch, "pair");
  const children = [clusters.startInProcess(dataDir), clusters.startInProcess(dataDir)] as const;
  await Promise.all(children.map(whenUp));
  const pid = await serverPid(clusterOf(dataDir));
  await endGently(children[0]);
  expect(await readServerPid(clusterOf(dataDir))).toBe(pid);
  expect(isProcessAlive(pid)).toBe(true);
  await endGently(children[1]);
  expect(await readServerPid(clusterOf(dataDir))).toBeUndefined();
  expect((await readdir(dataDir)).filter((name) => name !== "postgres")).toEqual([]);
});

test("leaves no server when two processes end together", async () => {
  const dataDir = clusters.template;
  const [one, two] = [await clusters.start(dataDir), await clusters.start(dataDir)];
  await Promise.all([one.close(), two.close()]);
  expect(await readServerPid(clusterOf(dataDir))).toBeUndefined();
});

test("keeps the server for a client that is still connected", async () => {
  const dataDir = clusters.template;
  const postgres = await clusters.start(dataDir);
  const db = createDatabase({ target: postgres.target, applicationName: "other", log: silentLog });
  expect(await db.isReachable()).toBe(true);
  await postgres.close();
  expect(await db.isReachable()).toBe(true);
  await db.close();
  await (await clusters.start(dataDir)).close();
});

test("survives Ctrl-C in the terminal of its starter", async () => {
  const dataDir = clusters.template;
  const child = clusters.startInProcess(dataDir);
  await whenUp(child);
  const pid = await serverPid(clusterOf(dataDir));
  if (process.platform === "linux") {
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ");
    expect(Number(fields?.[2])).toBe(pid);
  }
  await endGently(child);
});

test("starts although the lock file names a dead or a foreign process, or is empty", async () => {
  const foreign = spawn("sleep", ["60"], { cwd: "/", ...(isRoot() ? nobody : {}) });
  onTestFinished(() => void foreign.kill());
  const dead = spawn("true");
  await once(dead, "close");
  const dataDir = await clusters.copyTemplate("stale");
  if (isRoot()) await chownAll(clusterOf(dataDir), nobody);
  const lockFile = path.join(clusterOf(dataDir), "postmaster.pid");
  for (const owner of [`${dead.pid}`, `${foreign.pid}`, ""]) {
    await writeFile(
      lockFile,
      owner === "" ? "" : `${owner}\n${clusterOf(dataDir)}\n1700000000\n5432\n${clusterOf(dataDir)}\n\n  1 1\nready\n`,
    );
    await writeFile(
      path.join(clusterOf(dataDir), ".s.PGSQL.5432.lock"),
      owner === "" ? "" : `${owner}\n${clusterOf(dataDir)}\n`,
    );
    const { target, close } = await clusters.start(dataDir);
    expect(await rowsOf(target)).toEqual([{ id: 1 }]);
    await close();
  }
  expect(foreign.exitCode).toBeNull();
});

test("starts the database again when it is killed under us, without losing what it confirmed", async () => {
  // Its own, because the server of a starter that is still recovering may outlive the test.
  const dataDir = await clusters.copyTemplate("killed");
  const postgres = await clusters.start(dataDir, { settings: {} });
  const db = createDatabase({ target: postgres.target, applicationName: "survivor", log: silentLog });
  onTestFinished(() => db.close());
  await db.prepared({ name: "add", text: "INSERT INTO added VALUES (2)" }, []);
  // A session that computes does not notice the death of its server, and holds the shared memory until it is done.
  const busy = runSql(
    postgres.target,
    "DO $$ DECLARE t timestamptz := clock_timestamp(); BEGIN WHILE clock_timestamp() < t + '1 s' LOOP END LOOP; END $$",
  ).catch(() => {});
  await expect
    .poll(() => runSql(postgres.target, "SELECT FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'"))
    .toHaveLength(1);
  process.kill(await serverPid(clusterOf(dataDir)), "SIGKILL");
  expect(await rowsOf((await clusters.start(dataDir, { settings: {} })).target)).toEqual([{ id: 1 }]);
  await busy;
  await expect.poll(() => db.isReachable(), { timeout: 10_000 }).toBe(true);
  expect(await db.prepared({ name: "all", text: "SELECT id FROM added" }, [])).toEqual([{ id: 2 }]);
  await db.close();
});

test("starts a new log when the old one has grown large", async () => {
  const logFile = path.join(clusterOf(clusters.template), "server.log");
  await writeFile(logFile, Buffer.alloc(11 * 1024 * 1024));
  await clusters.start(clusters.template);
  expect((await stat(logFile)).size).toBeLessThan(100_000);
});

test("quotes the server's own words when it does not start", async () => {
  await expect(clusters.start(clusters.template, { settings: { shared_buffers: "nonsense" } })).rejects.toThrow(
    /did not start:\n.*shared_buffers/,
  );
});
