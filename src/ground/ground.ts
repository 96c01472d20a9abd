import { mkdirSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { createAddressRules } from "../base/address-rules.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { createSpanExport } from "../base/export-spans.ts";
import { readOrCreateKeyFile } from "../base/key-file.ts";
import type { Log } from "../base/log.ts";
import { createResolveHost } from "../base/resolve-host.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import { createTracing } from "../base/tracing.ts";
import type { Config, ProcessRole } from "../config.ts";
import { createMetrics, type Metrics, type Siblings } from "../door/metrics.ts";
import { type ConnectionTarget, createDatabase } from "../storage/database.ts";
import type { EmbeddedPostgres } from "../storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../storage/migrate.ts";
import { openStorage } from "../storage/open-storage.ts";
import { createSlowStatements } from "../storage/slow-statements.ts";

export type Ground = Awaited<ReturnType<typeof openGround>>;

export type GroundContext = {
  config: Config;
  log: Log;
  clock?: Clock;
  /** What this process does; nothing where it is a command beside the servers. */
  roles?: readonly ProcessRole[];
  /** The database, where somebody began to start it before this code was loaded. */
  starting?: Promise<EmbeddedPostgres>;
  /** Where a supervisor started several processes. */
  siblings?: Siblings | undefined;
};

/** What every feature stands on: settings, log and time, the database, the ways to the outside, and what watches them. */
export async function openGround({ config, log, clock = systemClock, roles = [], starting, siblings }: GroundContext) {
  const storage = await (starting ?? openStorage(config, log));
  try {
    const metrics = createMetrics(siblings);
    const database = await openDatabase(storage.target, { config, log, metrics, siblings });
    const cookieKey = readCookieKey(config);
    const { tracing, ...spans } = await openTracing({ config, log, metrics }, roles.length > 0);
    const addressRules = createAddressRules({ allowedCidrs: config.outboundAllowedCidrs });
    const outside = {
      fetch: createSafeFetch({ addressRules }),
      resolveHost: createResolveHost({ addressRules }),
      clock,
    };
    return {
      config,
      log,
      clock,
      version: packageJson.version,
      isWorker: roles.includes("worker"),
      cookieKey,
      ...database,
      target: storage.target,
      databaseFolder: storage.folder,
      metrics,
      tracing,
      outside,
      async close(): Promise<void> {
        await spans.close();
        await outside.fetch.close();
        await database.db.close();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

type Watched = { config: Config; log: Log; metrics: Metrics };

/** Of the connections of a process; the others are kept for what calls and runs need. */
const shareOfPages = 0.3;

/** Two processes with half of the calls each would write twice as many batches of half the size, a third more work for all (bench/processes). */
const gatherBesideSiblingsMs = 2;

/** The schema brought up to date, and a pool on it with what watches it. */
async function openDatabase(
  target: ConnectionTarget,
  { config, log, metrics, siblings }: Watched & { siblings: Siblings | undefined },
) {
  const slowStatements = createSlowStatements({
    log,
    limitMs: config.slowStatementMs,
    onSlow: metrics.countSlowStatement,
  });
  const { applied, version } = await migrate(target, { folder: migrationsFolder });
  if (applied.length > 0) log.info({ applied }, "database migrated");
  metrics.setSchemaVersion(version);
  const { databasePoolSize, databasePoolerUrl: pooler } = config;
  const pooled: ConnectionTarget = pooler === undefined ? target : { connectionString: pooler, isPooled: true };
  const pagePoolSize = Math.ceil(databasePoolSize * shareOfPages);
  const sizes = { poolSize: databasePoolSize - pagePoolSize, pagePoolSize };
  const gatherMs = siblings && gatherBesideSiblingsMs;
  const options = { applicationName: "switchyard", ...sizes, gatherMs, log, slowStatements };
  const db = createDatabase({ target: pooled, ...options });
  metrics.watchPool("main", db.counts);
  metrics.watchPool("pages", db.pageCounts);
  return { db, pooled, slowStatements };
}

/** The code that speaks to a collector is only loaded when there is one. */
async function openTracing({ config, log, metrics }: Watched, isServer: boolean) {
  const { endpoint, sampler, resource, ...target } = config.traces;
  if (endpoint === undefined || !isServer) return { tracing: createTracing(), close: async () => {} };
  const named = { "service.version": packageJson.version, ...resource };
  const { add, close } = await createSpanExport({
    target: { ...target, endpoint, resource: named },
    log,
    count: metrics.countSpans,
  });
  return { tracing: createTracing({ sampler, onEnd: add }), close };
}

function readCookieKey(config: Config): Buffer {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 });
  return config.cookieKey ?? readOrCreateKeyFile(join(config.dataDir, "cookie.key"));
}
