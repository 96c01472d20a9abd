import { rmSync } from "node:fs";
import pg from "pg";
import { startApp } from "../src/app.ts";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { createTracing } from "../src/base/tracing.ts";
import { readConfig } from "../src/config.ts";
import { createApiKeys } from "../src/identity/api-keys.ts";
import { createDatabase } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../src/storage/migrate.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { type Demand, demandOf, type Layout, mostCalls, totalOf, type UnitCosts } from "./find-walls.ts";
import {
  costOf,
  measureConnectionMegabytes,
  measureNotify,
  measureRecords,
  measureSlotSyncs,
  type Yard,
} from "./measure-unit-costs.ts";
import { reportFigure } from "./report-figure.ts";

// What each thing costs PostgreSQL, measured here, and from that what 50 gateways and 10,000 organizations would ask of one: docs/scale-out.md.
const bench = "scale-model";
const log = createLog("error");
const { dataDir } = createDataDir();
const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { max_connections: "150" } });
const yard: Yard = { target: postgres.target, dataDir, log, forMs: 1_500 };
const cores = 16;
const layout: Layout = {
  gateways: 50,
  organizations: 10_000,
  callsPerSecond: 5_000,
  gatewaysPerOrganization: 50,
  announcementsPerSecond: 20,
};
const defaultMaxConnections = 100;
const reservedConnections = 3;
try {
  await migrate(postgres.target, { folder: migrationsFolder });
  const connections = await countConnections();
  const megabytes = await measureConnectionMegabytes(yard, 20);
  const costs = await measureCosts();
  reportConnections(connections, megabytes);
  reportWalls(costs);
} finally {
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measureCosts(): Promise<UnitCosts> {
  const { costs: records, bytesPerCall } = await measureRecords(yard, [1, 4, 16, 64]);
  for (const { size, microseconds } of records)
    say(`record opened and closed, in batches of ${size}`, "µs", microseconds / size);
  say("stored for one call, with its indexes", "bytes", bytesPerCall);
  say("stored per day at the modelled rate", "GB", (bytesPerCall * layout.callsPerSecond * 86_400) / 1e9);
  const verifyMicroseconds = await measureVerify();
  say("verification of a key", "µs", verifyMicroseconds);
  const { microseconds: slotSyncMicroseconds } = await measureSlotSyncs(yard, 2, { isShared: false });
  say("slot sync of an organization that one process uses", "µs", slotSyncMicroseconds);
  for (const workers of [2, 10, 50]) {
    const { microseconds, perSecond } = await measureSlotSyncs(yard, workers, { isShared: true });
    say(`slot sync of an organization that ${workers} processes want at once`, "µs", microseconds);
    say(`such syncs per second of one organization, ${workers} processes`, "1/s", perSecond);
  }
  const notify: UnitCosts["notify"] = [];
  for (const listeners of [2, 10, 50]) {
    const { microseconds } = await measureNotify(yard, listeners);
    notify.push({ listeners, microseconds });
    say(`commit that announces, ${listeners} listeners`, "µs", microseconds);
  }
  return { records, verifyMicroseconds, slotSyncMicroseconds, notify };
}

function say(figure: string, unit: string, value: number): void {
  reportFigure({ bench, figure, unit, value });
}

async function measureVerify(): Promise<number> {
  const db = createDatabase({ target: postgres.target, applicationName: "bench", poolSize: 1, log });
  const apiKeys = createApiKeys({ db, log });
  const organizationId = newId();
  try {
    await db.prepared({ name: "", text: "INSERT INTO organization (id, name) VALUES ($1, 'Bench')" }, [organizationId]);
    const { key } = await apiKeys.create(organizationId, { name: "bench", scopes: ["mcp:invoke"], createdBy: null });
    return (await costOf(yard, [async () => void (await apiKeys.verify(key, "mcp:invoke"))])).microseconds;
  } finally {
    await apiKeys.close();
    await db.close();
  }
}

/** All that one process opens when it is busy with calls and runs. */
async function countConnections(): Promise<number> {
  const { host, port, user, database } = postgres.target as Extract<typeof postgres.target, { host: string }>;
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const app = await startApp({
    config: readConfig({ SWITCHYARD_DATA_DIR: dataDir, DATABASE_URL: url }),
    log,
    roles: ["worker"],
  });
  const counting = new pg.Client(postgres.target);
  await counting.connect();
  try {
    const startRun = await prepareRun(app);
    // Without the lease, which is this bench's own.
    const text =
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name LIKE 'switchyard%' AND application_name <> 'switchyard lease'";
    let most = 0;
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 40 }, () =>
        app.parts.ground.db.prepared({ name: "", text: "SELECT pg_sleep(0.1)" }, []),
      );
      const runs = Array.from({ length: 64 }, startRun);
      most = Math.max(most, (await counting.query<{ count: number }>(text)).rows[0]?.count ?? 0);
      await Promise.allSettled([...calls, ...runs]);
    }
    return most;
  } finally {
    await counting.end();
    await app.stop();
  }
}

async function prepareRun({
  parts,
  running: { runs },
}: Awaited<ReturnType<typeof startApp>>): Promise<() => Promise<unknown>> {
  const owner = {
    name: "Bench",
    email: "bench@example.com",
    password: "correct horse battery",
    organizationName: "Bench",
  };
  const { organizationId } = await parts.identity.setup.createOwner(owner);
  const canvas = { nodes: [{ id: "a", nodeId: "system_date_time", parameters: {} }], edges: [] };
  const { id: workflowId } = await parts.workflows.create(
    organizationId,
    { name: "One node", description: "", isActive: true, canvas },
    null,
  );
  const trigger = { source: "bench", sender: null, prompt: "", payload: null };
  return () => runs.startRun({ organizationId, workflowId, kind: "api", trigger, trace: createTracing().follow() });
}

function reportConnections(perProcess: number, megabytes: number): void {
  const count = perProcess * layout.gateways;
  say("connections of one busy process", "1", perProcess);
  say("memory of one connection of its own", "MB", megabytes);
  say(
    `processes that ${defaultMaxConnections} connections are enough for`,
    "1",
    Math.floor((defaultMaxConnections - reservedConnections) / perProcess),
  );
  say(`connections of ${layout.gateways} gateways`, "1", count);
  say("memory of these connections", "GB", (count * megabytes) / 1024);
}

/** One thing is changed after the other. */
function reportWalls(costs: UnitCosts): void {
  const scenarios: [string, Partial<Layout>][] = [
    ["any gateway for any call", {}],
    ["an organization stays with two gateways", { gatewaysPerOrganization: 2 }],
    [
      "the same, and announcements only where somebody follows",
      { gatewaysPerOrganization: 2, announcementsPerSecond: 0.2 },
    ],
    [
      "the same, and 10 gateways instead of 50",
      { gatewaysPerOrganization: 2, announcementsPerSecond: 0.2, gateways: 10 },
    ],
  ];
  for (const [name, change] of scenarios) {
    const changed = { ...layout, ...change };
    const demand = demandOf(costs, changed);
    say(`calls per second at which ${cores} cores are busy, ${name}`, "1/s", mostCalls(costs, changed, cores));
    say(`cores at ${layout.callsPerSecond} calls per second, ${name}`, "1", totalOf(demand) / 1e6);
    for (const part of Object.keys(demand) as (keyof Demand)[])
      say(`of these for ${part}, ${name}`, "1", demand[part] / 1e6);
  }
}
