import { readFileSync } from "node:fs";
import pg from "pg";
import { newId } from "../src/base/ids.ts";
import type { Log } from "../src/base/log.ts";
import { type CallEnd, endCalls, insertCalls, type NewCallRow } from "../src/history/store.ts";
import { createPartitions } from "../src/records/partitions.ts";
import { openSlotLink, type SlotState } from "../src/slots/slot-store.ts";
import { type ConnectionTarget, createDatabase, type Database } from "../src/storage/database.ts";
import { listPostgres } from "../test/support/processes.ts";

export type Yard = { target: ConnectionTarget; dataDir: string; log: Log; forMs: number };

/** Processor time of all of PostgreSQL for each time the work is done, by as many as there are at once, for a while. */
export async function costOf({ dataDir, forMs }: Yard, workers: (() => Promise<void>)[]) {
  for (const work of workers) await work();
  const pids = listPostgres(dataDir);
  const [before, startedAt] = [processorMicroseconds(pids), performance.now()];
  let count = 0;
  await Promise.all(
    workers.map(async (work) => {
      for (; performance.now() - startedAt < forMs; count++) await work();
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  return {
    microseconds: (processorMicroseconds(pids) - before) / count,
    milliseconds: (elapsedMs * workers.length) / count,
    perSecond: (count / elapsedMs) * 1000,
  };
}

// Nanoseconds on a processor come first in it.
const processorMicroseconds = (pids: number[]): number =>
  pids.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000, 0);

/** Opens and closes the records of whole batches, as the recorder of one process does. */
export async function measureRecords(yard: Yard, sizes: number[]) {
  const db = createDatabase({ target: yard.target, applicationName: "bench", poolSize: 1, log: yard.log });
  const { tableOf, upkeep } = createPartitions({ db, target: yard.target, log: yard.log });
  try {
    await upkeep.run();
    const costs: { size: number; microseconds: number; milliseconds: number }[] = [];
    for (const size of sizes) {
      const work = async () => {
        const calls = Array.from({ length: size }, newCall);
        await insertCalls(db, calls, tableOf);
        await endCalls(db, calls.map(endOf), tableOf);
      };
      costs.push({ size, ...(await costOf(yard, [work])) });
    }
    return { costs, bytesPerCall: await bytesPerCall(db) };
  } finally {
    await db.close();
  }
}

async function bytesPerCall(db: Database): Promise<number> {
  const text =
    "SELECT sum(pg_total_relation_size(relid))::bigint / (SELECT count(*) FROM tool_call) AS bytes FROM pg_partition_tree('tool_call')";
  return Number((await db.prepared<{ bytes: string }>({ name: "", text }, []))[0]?.bytes);
}

const organizationId = newId();

const newCall = (): NewCallRow => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  status: "running",
  apiKeyId: organizationId,
  apiKeyName: "CI",
  oauthClientId: null,
  oauthClientName: null,
  userId: null,
  userName: null,
  parameters: JSON.stringify({ text: "The build is green again. ".repeat(8) }),
  credentials: "{}",
  outputs: null,
  errorCode: null,
  errorMessage: null,
  traceId: null,
  requestId: organizationId,
  replayOf: null,
  queuedAt: new Date(),
  startedAt: new Date(),
  completedAt: null,
  queueMs: 0,
  durationMs: null,
  truncated: false,
  sanitized: false,
  owner: organizationId,
});

const endOf = ({ id, parameters }: NewCallRow): CallEnd => ({
  organizationId,
  id,
  status: "success",
  outputs: parameters,
  errorCode: null,
  errorMessage: null,
  completedAt: new Date(),
  durationMs: 1,
  truncated: false,
  sanitized: false,
});

const cap = 4;

/** Every worker takes a permit of the same organization, uses it for no time and gives it back; or each of an organization of its own. */
export async function measureSlotSyncs(yard: Yard, workerCount: number, { isShared }: { isShared: boolean }) {
  const shared = newId();
  const workers = await Promise.all(
    Array.from({ length: workerCount }, () => openWorker(yard.target, isShared ? shared : newId())),
  );
  try {
    return await costOf(
      yard,
      workers.map(({ sync }) => sync),
    );
  } finally {
    for (const { end } of workers) await end();
  }
}

async function openWorker(target: ConnectionTarget, organizationId: string) {
  let held = 0;
  const onMessage = (state: SlotState | undefined) => {
    held = state?.held ?? 0;
  };
  const link = await openSlotLink({ target, workerId: newId(), onMessage, onEnd: () => {} });
  await link.join({ earlierIds: [], leaseMs: 60_000 });
  let news: number | null = cap;
  return {
    async sync(): Promise<void> {
      const waitingMs = held > 0 ? [] : [1];
      const [state] = await link.sync([{ organizationId, held: 0, waitingMs, cap: news }], { isComplete: true });
      news = null;
      held = state?.held ?? 0;
    },
    async end(): Promise<void> {
      await link.leave();
      link.end();
    },
  };
}

/** One sender; all who listen are woken, also those who listen for something else. */
export async function measureNotify(yard: Yard, listenerCount: number) {
  const clients = Array.from({ length: listenerCount + 1 }, () => new pg.Client(yard.target));
  try {
    for (const client of clients) await client.connect();
    for (const [index, client] of clients.slice(1).entries()) await client.query(`LISTEN bench_${index}`);
    return await costOf(yard, [
      async () => void (await clients[0]?.query("SELECT pg_notify('bench_0', $1)", ["x".repeat(80)])),
    ]);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** What a connection that has done the usual has for itself alone. */
export async function measureConnectionMegabytes({ target, log }: Yard, count: number): Promise<number> {
  const pools = Array.from({ length: count }, () =>
    createDatabase({ target, applicationName: "bench", poolSize: 1, log }),
  );
  try {
    const sizes = await Promise.all(pools.map(ownMegabytes));
    return sizes.reduce((sum, size) => sum + size, 0) / count;
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

async function ownMegabytes(db: Database): Promise<number> {
  for (let round = 0; round < 6; round++) {
    const calls = [newCall(), newCall()];
    await insertCalls(db, calls);
    await endCalls(db, calls.map(endOf));
    const text = "SELECT id, tool FROM tool_call WHERE organization_id = $1 ORDER BY id DESC LIMIT 50";
    await db.prepared({ name: "bench_page", text }, [organizationId]);
  }
  const [row] = await db.prepared<{ pid: number }>({ name: "", text: "SELECT pg_backend_pid() AS pid" }, []);
  const rollup = readFileSync(`/proc/${row?.pid}/smaps_rollup`, "utf8");
  const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(rollup)?.[1] ?? 0);
  return (kilobytes("Private_Clean") + kilobytes("Private_Dirty")) / 1024;
}
