import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { ConnectionTarget } from "../../src/storage/database.ts";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../../src/storage/migrate.ts";
import { postgresPid } from "../support/processes.ts";
import { startReferee, startWorkers, stopWorkers } from "../support/slots/slot-processes.ts";
import { startDatabaseProxy } from "../support/storage/database-proxy.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { quickSettings, silentLog } from "../support/storage/test-postgres.ts";

const cap = 3;
const leaseMs = 1_200;
const processes = 3;

/** Three processes that want more than there is, and a referee who counts. */
async function startLoad(target: ConnectionTarget) {
  const referee = await startReferee({ cap, callMs: 12 });
  onTestFinished(() => referee.close());
  const task = { target, organizationId: newId(), cap, leaseMs, refereePort: referee.port, loops: 4 };
  const workers = await startWorkers(processes, task);
  onTestFinished(() => void stopWorkers(workers));
  return { referee, workers };
}

async function openDatabase() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

it("never lets more calls run than the cap while processes are stopped past their lease or killed, and uses all of it again", async () => {
  const database = await openDatabase();
  const { referee, workers } = await startLoad(database.target);
  const holders = workers.slice(0, 2);
  await referee.whenRunning(cap, 1_000);
  await delay(500);
  expect(referee.seen.calls).toBeGreaterThan(50);

  await referee.stopDuringCalls(holders);
  await referee.whenRunning(cap, leaseMs + 2_000);
  await delay(100);
  for (const worker of holders) worker.kill("SIGCONT");
  await delay(400);
  expect(referee.seen.overLimit).toBe(0);

  await referee.stopDuringCalls(holders);
  for (const worker of holders) worker.kill("SIGKILL");
  await referee.whenRunning(cap, leaseMs + 2_000);
  expect(referee.seen).toMatchObject({ most: cap, overLimit: 0 });
  expect(await stopWorkers(workers)).toEqual([null, null, 0]);
  await expect.poll(() => database.query("SELECT FROM slot_share")).toEqual([]);
}, 30_000);

it("never lets more calls run than the cap while PostgreSQL is restarted or crashes, and recovers alone", async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "switchyard-slots-"));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: silentLog,
    systemDir: path.join(dataDir, "system"),
    settings: quickSettings,
  });
  onTestFinished(async () => {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await migrate(postgres.target, { folder: migrationsFolder });
  const { referee, workers } = await startLoad(postgres.target);
  await referee.whenRunning(cap, 1_000);
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    process.kill(postgresPid(dataDir) ?? 0, signal);
    await delay(1_000);
    const { calls } = referee.seen;
    await referee.whenRunning(cap, leaseMs + 3_000);
    await delay(300);
    expect(referee.seen.calls).toBeGreaterThan(calls + 20);
  }
  expect(referee.seen).toMatchObject({ most: cap, overLimit: 0 });
  expect(await stopWorkers(workers)).toEqual([0, 0, 0]);
}, 30_000);

it("never lets more calls run than the cap when the database answers late", async () => {
  const database = await openDatabase();
  const proxy = await startDatabaseProxy(database.target);
  onTestFinished(() => proxy.close());
  proxy.weather.delayMs = 50;
  const { referee, workers } = await startLoad(proxy.target);
  await referee.whenRunning(cap, 2_000);
  await delay(1_000);
  expect(referee.seen.overLimit).toBe(0);
  expect(await stopWorkers(workers)).toEqual([0, 0, 0]);
}, 30_000);
