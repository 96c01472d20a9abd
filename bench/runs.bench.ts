import { rmSync } from "node:fs";
import pg from "pg";
import { startApp } from "../src/app.ts";
import { createBatch } from "../src/base/batch.ts";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { createTracing } from "../src/base/tracing.ts";
import { readConfig } from "../src/config.ts";
import { toRow } from "../src/runs/accept/start-run.ts";
import { createRunQueue, type RunQueue } from "../src/runs/queue/run-queue.ts";
import { insertRuns, type NewRun } from "../src/runs/store.ts";
import { type Fence, type NodeRow, nodeColumns, onPool } from "../src/runs/walk/checkpoint-store.ts";
import { arraysOf, columnNames, unnest } from "../src/storage/columns.ts";
import { createDatabase, type Database, type Sql } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// Runs of five system nodes in one worker process, next to a loop that only inserts the same rows in natural batches.
const bench = "runs";
const roundMs = 4_000;
const nodeCount = 5;
const log = createLog("error");
const tracing = createTracing();
const { dataDir } = createDataDir();
const postgres = await startEmbeddedPostgres({ dataDir, log });
const { host, port, user, database } = postgres.target as Extract<typeof postgres.target, { host: string }>;
const config = readConfig({
  SWITCHYARD_DATA_DIR: dataDir,
  DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
});
const app = await startApp({ config, log, roles: ["worker"] });
const plain = createDatabase({ target: postgres.target, applicationName: "bench", log });
const queue = createRunQueue({ target: postgres.target, log, supervises: false });
await queue.start();
const statistics = new pg.Client(postgres.target);
await statistics.connect();
try {
  const organizationId = await createOrganization();
  const workflowId = await createWorkflow(organizationId);
  const start = () => startRun(organizationId, workflowId);
  const insert = createPlainInsert(plain, { queue, organizationId, workflowId });
  for (let round = 0; round < 2; round++) await load(start, 64, 2_000);
  await load(insert, 64, 1_000);
  await forgetPlainTurns();
  await reportLoad({ inFlight: 128, start, insert });
  await reportLoad({ inFlight: 32, start, insert });
  await reportLoad({ inFlight: 1, start, insert });
  await reportGrowth(organizationId, start);
} finally {
  await statistics.end();
  await queue.stop();
  await plain.close();
  await app.stop();
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function createOrganization(): Promise<string> {
  const { organizationId } = await app.parts.identity.setup.createOwner({
    name: "Bench",
    email: "bench@example.com",
    password: "correct horse battery",
    organizationName: "Bench",
  });
  return organizationId;
}

async function createWorkflow(organizationId: string): Promise<string> {
  const ids = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
  const canvas = {
    nodes: ids.map((id) => ({ id, nodeId: "system_date_time", parameters: {} })),
    edges: ids.slice(1).map((target, index) => ({ id: `e${index}`, source: ids[index] as string, target })),
  };
  const { id } = await app.parts.workflows.create(
    organizationId,
    { name: "Five nodes", description: "", isActive: true, canvas },
    null,
  );
  return id;
}

async function startRun(organizationId: string, workflowId: string): Promise<void> {
  const trigger = { source: "bench", sender: null, prompt: "", payload: null };
  const { id } = await app.running.runs.startRun({
    organizationId,
    workflowId,
    kind: "api",
    trigger,
    trace: tracing.follow(),
  });
  await new Promise<void>((resolve) => {
    const unsubscribe = app.running.runs.onEnd(id, () => {
      unsubscribe();
      resolve();
    });
  });
}

type Place = { queue: RunQueue; organizationId: string; workflowId: string };

/** A run's row with its place in the queue, then each of its nodes' rows with every column, each committed before the next. */
function createPlainInsert(db: Database, { queue, organizationId, workflowId }: Place) {
  const write = <Row>(insert: (sql: Sql, rows: Row[]) => Promise<void>) =>
    createBatch<Row, undefined>({
      maxItems: 256,
      async flush(rows) {
        await insert(onPool(db), rows);
        return rows.map(() => undefined);
      },
    });
  const owner = newId();
  // For nobody to take: the loop only inserts.
  const startAfter = new Date(Date.now() + 24 * 3600_000);
  const runs = write<NewRun>((_, rows) =>
    db.transaction(async (sql) => {
      await insertRuns(sql, owner, rows);
      await queue.insert(
        sql,
        rows.map(({ id }) => ({ id, organizationId, startAfter })),
      );
    }),
  );
  const nodes = write<NodeRow>(insertNodes);
  const trigger = { source: "bench", sender: null, prompt: "", payload: null };
  return async (): Promise<void> => {
    const now = new Date();
    const row = {
      ...toRow({ organizationId, kind: "api", trigger, trace: tracing.follow() }, now),
      workflowId,
      workflowVersion: 1,
    };
    await runs.add(row);
    for (let index = 0; index < nodeCount; index++)
      await nodes.add(plainNode({ organizationId, runId: row.id, epoch: 1 }, index));
  };
}

function plainNode(fence: Fence, index: number): NodeRow {
  const outputs = JSON.stringify({ out: [{ iso: new Date().toISOString(), timeZone: "UTC", unixSeconds: 1 }] });
  return {
    ...fence,
    nodeId: `n${index}`,
    nodeType: "system_date_time",
    status: "succeeded",
    attempts: 1,
    done: 0,
    input: "[{}]",
    outputs,
    filled: null,
    errorCode: null,
    errorMessage: null,
    note: null,
    wakeAt: null,
    startedAt: new Date(),
    completedAt: new Date(),
    mustNotRepeat: false,
    items: null,
    total: 1,
    underWay: null,
    durationMs: 1,
  };
}

async function insertNodes(sql: Sql, rows: NodeRow[]): Promise<void> {
  const columns = nodeColumns.filter(([field]) => field !== "epoch");
  const text = `INSERT INTO run_node (${columnNames(columns)}) SELECT * FROM ${unnest(columns)}`;
  await sql({ name: "bench_nodes", text }, arraysOf(columns, rows));
}

async function load(work: () => Promise<void>, inFlight: number, forMs: number) {
  const latenciesMs: number[] = [];
  const commitsBefore = await readCommits();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - startedAt < forMs) {
        const begunAt = performance.now();
        await work();
        latenciesMs.push(performance.now() - begunAt);
      }
    }),
  );
  const perSecond = latenciesMs.length / ((performance.now() - startedAt) / 1000);
  return {
    perSecond,
    p50: median(latenciesMs),
    commitsPerRun: ((await readCommits()) - commitsBefore) / latenciesMs.length,
  };
}

async function readCommits(): Promise<number> {
  await statistics.query("SELECT pg_stat_force_next_flush()");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { rows } = await statistics.query<{ commits: string }>(
    "SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()",
  );
  return Number(rows[0]?.commits);
}

type Load = { inFlight: number; start: () => Promise<void>; insert: () => Promise<void> };

async function reportLoad({ inFlight, start, insert }: Load): Promise<void> {
  const product = await load(start, inFlight, roundMs);
  const baseline = await load(insert, inFlight, roundMs / 2);
  await forgetPlainTurns();
  const name = `${inFlight} in flight`;
  const versus = { baseline: "only inserting the same rows in natural batches", baselineValue: baseline.perSecond };
  reportFigure({
    bench,
    figure: `5-node runs completed per second, ${name}`,
    value: product.perSecond,
    unit: "1/s",
    ...versus,
    ...(inFlight === 128 ? { bar: { atLeast: 1000 } } : {}),
  });
  if (inFlight === 128)
    reportFigure({
      bench,
      figure: "share of the inserting loop's speed",
      value: product.perSecond / baseline.perSecond,
      unit: "x",
      bar: { atLeast: 0.4 },
    });
  const latencyBar = inFlight === 32 ? { bar: { atMost: 40 } } : inFlight === 1 ? { bar: { atMost: 12 } } : {};
  reportFigure({ bench, figure: `accepted to finished p50, ${name}`, value: product.p50, unit: "ms", ...latencyBar });
  reportFigure({
    bench,
    figure: `database commits per run, ${name}`,
    value: product.commitsPerRun,
    unit: "1",
    ...(inFlight === 32 ? { bar: { atMost: 1 } } : {}),
  });
}

/** The same load with ever more finished runs in the tables. */
async function reportGrowth(organizationId: string, start: () => Promise<void>): Promise<void> {
  const speeds: number[] = [];
  for (const stored of [10, 100_000]) {
    await statistics.query("DELETE FROM run_node; DELETE FROM run");
    await statistics.query(
      `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at, started_at, completed_at)
       SELECT $1, uuidv7(-interval '60 days' * random()), gen_random_uuid(), 1, 'api', 'succeeded', '{}', now(), now(), now() FROM generate_series(1, $2::int)`,
      [organizationId, stored],
    );
    await statistics.query(
      `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, outputs, started_at, completed_at, duration_ms)
       SELECT organization_id, id, 'n' || number, 'system_date_time', 'succeeded', 1, 0, '{"out":[]}', now(), now(), 0 FROM run, generate_series(1, 5) AS number`,
    );
    await statistics.query("VACUUM ANALYZE run; VACUUM ANALYZE run_node").catch(() => {});
    speeds.push((await load(start, 32, roundMs)).perSecond);
  }
  const [few = 1, many = 0] = speeds;
  reportFigure({
    bench,
    figure: "speed with 100,000 stored runs",
    value: many,
    unit: "1/s",
    baseline: "with 10 stored runs",
    baselineValue: few,
  });
}

/** What the loop left in the queue, also as dead rows, is not what the product is measured with. */
async function forgetPlainTurns(): Promise<void> {
  await statistics.query("DELETE FROM run_queue.job WHERE start_after > now() + interval '1 hour'");
  await statistics.query("VACUUM run_queue.job");
}
