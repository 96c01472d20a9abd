import { readFileSync, rmSync } from "node:fs";
import pg from "pg";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { Refusal } from "../src/base/refusal.ts";
import { newApiKeyText } from "../src/identity/api-key-text.ts";
import { createApiKeys } from "../src/identity/api-keys.ts";
import { createDatabase } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../src/storage/migrate.ts";
import { listPostgres } from "../test/support/processes.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// What one verification of an API key costs, next to the cheapest statement the same pool can run.
const bench = "verify-key";
const inFlight = 64;
const roundMs = 2_000;
const rounds = 3;
const keyCount = 500;

const log = createLog("error");
const { dataDir } = createDataDir();
const postgres = await startEmbeddedPostgres({ dataDir, log });
await migrate(postgres.target, { folder: migrationsFolder });
const db = createDatabase({ target: postgres.target, applicationName: "bench", log });
const apiKeys = createApiKeys({ db, log });
try {
  const texts = await createKeys();
  const selectOne = { name: "bench_select_one", text: "SELECT 1" };
  const baselines: Speed[] = [];
  const verifications: Speed[] = [];
  await measure(() => db.prepared(selectOne, []));
  for (let round = 0; round < rounds; round++) {
    baselines.push(await measure(() => db.prepared(selectOne, [])));
    verifications.push(await measure((call) => apiKeys.verify(texts[call % texts.length], "mcp:invoke")));
  }
  reportVerification(verifications, baselines);
  await reportChecksum();
} finally {
  await apiKeys.close();
  await db.close();
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

function reportVerification(verifications: Speed[], baselines: Speed[]): void {
  const middle = (speeds: Speed[], part: keyof Speed) => median(speeds.map((speed) => speed[part]));
  const versus = (part: keyof Speed) => ({
    value: middle(verifications, part),
    baseline: "prepared SELECT 1 on the same pool",
    baselineValue: middle(baselines, part),
  });
  reportFigure({ bench, figure: "verifications per second, 64 in flight", unit: "1/s", ...versus("perSecond") });
  reportFigure({
    bench,
    figure: "processor time of this process per verification",
    unit: "µs",
    ...versus("ownMicroseconds"),
  });
  reportFigure({
    bench,
    figure: "processor time of PostgreSQL per verification",
    unit: "µs",
    ...versus("postgresMicroseconds"),
  });
  const bar = { atLeast: 5_000 };
  reportFigure({
    bench,
    figure: "verifications per second if both had one core together",
    unit: "1/s",
    ...versus("perCoreSecond"),
    bar,
  });
}

/** A mistyped key must not cost the database anything: the server's own count of transactions proves it. */
async function reportChecksum(): Promise<void> {
  const mistyped = Array.from({ length: keyCount }, () => `${newApiKeyText().slice(0, -6)}000000`);
  const refuse = (call: number) =>
    apiKeys.verify(mistyped[call % mistyped.length], "mcp:invoke").catch((error: unknown) => {
      if (!(error instanceof Refusal && error.code === "api_key_invalid")) throw error;
    });
  const before = await countTransactions();
  const { perSecond, calls } = await measure(refuse);
  const transactions = (await countTransactions()) - before;
  reportFigure({ bench, figure: "refusals of a wrong checksum per second", value: perSecond, unit: "1/s" });
  // The count itself and the server's own upkeep are a handful.
  reportFigure({
    bench,
    figure: `transactions during ${calls} such refusals`,
    value: transactions,
    unit: "transactions",
    bar: { atMost: 20 },
  });
}

type Speed = Awaited<ReturnType<typeof measure>>;

async function measure(run: (call: number) => Promise<unknown>) {
  const ownBefore = process.cpuUsage();
  const postgresBefore = postgresCpuMicroseconds();
  const startedAt = performance.now();
  let calls = 0;
  const loop = async () => {
    while (performance.now() - startedAt < roundMs) await run(calls++);
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const perSecond = calls / ((performance.now() - startedAt) / 1000);
  const { user, system } = process.cpuUsage(ownBefore);
  const ownMicroseconds = (user + system) / calls;
  const postgresMicroseconds = (postgresCpuMicroseconds() - postgresBefore) / calls;
  return {
    calls,
    perSecond,
    ownMicroseconds,
    postgresMicroseconds,
    perCoreSecond: 1_000_000 / (ownMicroseconds + postgresMicroseconds),
  };
}

/** Of the sessions that are open; the pool keeps them open while it is measured. */
function postgresCpuMicroseconds(): number {
  const microsecondsPerTick = 10_000;
  const ticks = listPostgres(dataDir).map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) * microsecondsPerTick;
}

async function createKeys(): Promise<(string | undefined)[]> {
  const organizationId = newId();
  await runSql("INSERT INTO organization (id, name) VALUES ($1, 'Bench')", [organizationId]);
  const texts: string[] = [];
  for (let index = 0; index < keyCount; index++) {
    const { key } = await apiKeys.create(organizationId, {
      name: `key ${index}`,
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    texts.push(key);
  }
  return texts;
}

async function countTransactions(): Promise<number> {
  // Sessions report their counts at most once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const [row] = await runSql(
    "SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()",
  );
  return Number(row?.count);
}

async function runSql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres.target);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}
