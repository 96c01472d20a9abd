import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { createSlots } from "../src/slots/slots.ts";
import type { ConnectionTarget } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../src/storage/migrate.ts";
import { startReferee, startWorkers, stopWorkers } from "../test/support/slots/slot-processes.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { reportFigure } from "./report-figure.ts";

// What a slot costs, alone and when two processes want the same ones, next to a counter that is locked with SELECT … FOR UPDATE for each call.
const bench = "slots";
const roundMs = 3_000;
const leaseMs = 1_500;
const log = createLog("error");

type Way = "slots" | "naive";
type Task = { target: ConnectionTarget; organizationId: string; cap: number; loops: number; way: Way; startAt: number };
type Speed = { perSecond: number; p50: number; p99: number };

if (process.argv[2] === "process")
  console.log(JSON.stringify(await measure(JSON.parse(process.argv[3] ?? "") as Task)));
else await runAll();

async function runAll(): Promise<void> {
  const { dataDir } = createDataDir();
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await migrate(postgres.target, { folder: migrationsFolder });
    await runSql(postgres.target, "CREATE UNLOGGED TABLE naive (id uuid PRIMARY KEY, used integer NOT NULL)");
    await reportSpeed("one process alone, 8 in flight, cap 8", { target: postgres.target, processes: 1, cap: 8 });
    await reportSpeed("two processes contending, 8 in flight each, cap 4", {
      target: postgres.target,
      processes: 2,
      cap: 4,
    });
    await reportFaults(postgres.target);
  } finally {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function reportSpeed(
  name: string,
  { target, processes, cap }: { target: ConnectionTarget; processes: number; cap: number },
) {
  const speeds = { slots: await measureAll("slots"), naive: await measureAll("naive") };
  const versus = (part: keyof Speed) => ({
    value: speeds.slots[part],
    baseline: "SELECT … FOR UPDATE for each call",
    baselineValue: speeds.naive[part],
  });
  reportFigure({ bench, figure: `acquire and release per second, ${name}`, unit: "1/s", ...versus("perSecond") });
  reportFigure({ bench, figure: `wait p50, ${name}`, unit: "ms", ...versus("p50") });
  reportFigure({ bench, figure: `wait p99, ${name}`, unit: "ms", ...versus("p99") });

  async function measureAll(way: Way): Promise<Speed> {
    const organizationId = newId();
    await runSql(target, "INSERT INTO naive VALUES ($1, 0)", [organizationId]);
    const task: Task = { target, organizationId, cap, loops: 8, way, startAt: Date.now() + 1_500 };
    const results = await Promise.all(Array.from({ length: processes }, () => measureInProcess(task)));
    return {
      perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
      p50: Math.max(...results.map(({ p50 }) => p50)),
      p99: Math.max(...results.map(({ p99 }) => p99)),
    };
  }
}

async function measureInProcess(task: Task): Promise<Speed> {
  const child = spawn(process.execPath, [import.meta.filename, "process", JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout)) as Speed;
}

async function measure(task: Task): Promise<Speed> {
  const { acquire, close } = task.way === "slots" ? await openSlots(task) : await openNaive(task);
  const waitsMs: number[] = [];
  // All processes at the same time: one that is alone for a moment would make most of the calls.
  await delay(task.startAt - Date.now());
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: task.loops }, async () => {
      while (performance.now() - startedAt < roundMs) {
        const askedAt = performance.now();
        const release = await acquire();
        waitsMs.push(performance.now() - askedAt);
        // A call that does something: also lets the event loop turn.
        await new Promise((resolve) => setImmediate(resolve));
        await release();
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await close();
  const sorted = Float64Array.from(waitsMs).sort();
  const part = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: sorted.length / seconds, p50: part(0.5), p99: part(0.99) };
}

async function openSlots({ target, organizationId, cap }: Task) {
  const capOf = async (ids: string[]) => new Map(ids.map((id) => [id, cap]));
  const slots = createSlots({ target, capOf, queueLimit: 1_000, log });
  await slots.start();
  const { signal } = new AbortController();
  const acquire = async () => {
    const slot = await slots.acquire(organizationId, { signal });
    return async () => slot.release();
  };
  return { acquire, close: slots.close };
}

async function openNaive({ target, organizationId, cap, loops }: Task) {
  const pool = new pg.Pool({ ...target, max: loops });
  const change = async (isWanted: (used: number) => boolean, by: number): Promise<boolean> => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query<{ used: number }>("SELECT used FROM naive WHERE id = $1 FOR UPDATE", [
        organizationId,
      ]);
      const isDone = isWanted(rows[0]?.used ?? 0);
      if (isDone) await client.query("UPDATE naive SET used = used + $2 WHERE id = $1", [organizationId, by]);
      await client.query("COMMIT");
      return isDone;
    } finally {
      client.release();
    }
  };
  const release = async (): Promise<void> => void (await change(() => true, -1));
  const acquire = async () => {
    while (!(await change((used) => used < cap, 1))) await delay(1);
    return release;
  };
  return { acquire, close: () => pool.end() };
}

/** Rounds of stopping two of three processes past their lease and of killing two of three, counted by the provider they call. */
async function reportFaults(target: ConnectionTarget, rounds = 5): Promise<void> {
  const cap = 3;
  const referee = await startReferee({ cap, callMs: 12 });
  const task = { target, organizationId: newId(), cap, leaseMs, refereePort: referee.port, loops: 4 };
  const recoveriesMs: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const workers = await startWorkers(3, task);
      await referee.whenRunning(cap, 2 * leaseMs);
      const holders = workers.slice(1);
      await referee.stopDuringCalls(holders);
      await delay(leaseMs + 1_000);
      for (const worker of holders) worker.kill("SIGCONT");
      await delay(500);
      await referee.stopDuringCalls(holders);
      for (const worker of holders) worker.kill("SIGKILL");
      recoveriesMs.push(await referee.whenRunning(cap, 2 * leaseMs + 2_000));
      await stopWorkers(workers);
    }
  } finally {
    referee.close();
  }
  const { calls, overLimit } = referee.seen;
  reportFigure({
    bench,
    figure: `calls over the cap of ${calls}, ${rounds} rounds of SIGSTOP and kill -9`,
    value: overLimit,
    unit: "calls",
    bar: { atMost: 0 },
  });
  const bar = { atMost: leaseMs + 2_000 };
  reportFigure({
    bench,
    figure: "longest time until all of the cap is used again after kill -9, lease 1.5 s",
    value: Math.max(...recoveriesMs),
    unit: "ms",
    bar,
  });
}

async function runSql(target: ConnectionTarget, statement: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    await client.query(statement, values);
  } finally {
    await client.end();
  }
}
