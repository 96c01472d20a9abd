import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { killAll, listPostgres, listTree } from "../support/processes.ts";
import { countMissing, createKeys, signUp } from "../support/runs/crash-rounds.ts";
import { createDataDir, type SpawnedServer, spawnSwitchyard, startServer } from "../support/spawned-server.ts";
import { runSql, startTestPostgres } from "../support/storage/test-postgres.ts";
import { invariant } from "./invariant.ts";
import type { Random } from "./random.ts";

invariant("V28", {
  promise:
    "a crash at any moment, also of the database or during a migration, needs no manual step and loses nothing acknowledged",
  rounds: { quick: 5, full: 200 },
  planted: "a key that was acknowledged is taken away",
  async check({ rounds, random, isPlanted }) {
    const migrations = Math.floor(rounds / 5);
    const violations = await Promise.all([
      crashServers(rounds - migrations, random, isPlanted),
      crashMigrations(migrations, random),
    ]);
    return violations.flat();
  },
});

/** One server with a database of its own, killed while it starts or while keys are made, the database with it or not. */
async function crashServers(rounds: number, random: Random, isPlanted: boolean): Promise<string[]> {
  const { dataDir, remove } = createDataDir();
  const acknowledged = new Set<string>();
  let server = await startServer({ dataDir });
  try {
    const { ports } = server;
    const { browser, path } = await signUp(server);
    const write = () =>
      writeUntilKilled(server, { dataDir, random, create: () => createKeys(browser, path, acknowledged) });
    // The very first start also makes the database, and says nothing about the others.
    let startMs: number | undefined;
    const startAndLook = async (): Promise<string[]> => {
      const startedAt = performance.now();
      server = await startServer({ dataDir, ports });
      startMs = performance.now() - startedAt;
      if (isPlanted) await browser.delete(`${path}/${[...acknowledged][0]}`);
      const lost = countMissing(acknowledged, await browser.get(path));
      return lost > 0 ? [`${lost} of ${acknowledged.size} acknowledged keys are lost`] : [];
    };
    const violations: string[] = [];
    await write();
    for (let round = 1; round < rounds; round++) {
      if (startMs !== undefined && random.below(2) === 0)
        await killWhileStarting(dataDir, ports, random.next() * startMs);
      else {
        violations.push(...(await startAndLook()));
        await write();
      }
    }
    return [...violations, ...(await startAndLook())];
  } catch (error) {
    return [`it did not start again: ${(error as Error).message}`];
  } finally {
    await server.kill();
    await remove();
  }
}

type Writing = { dataDir: string; random: Random; create: () => Promise<void> };

async function writeUntilKilled(server: SpawnedServer, { dataDir, random, create }: Writing): Promise<void> {
  const writers = Array.from({ length: 4 }, create);
  await delay(random.below(400));
  const database = random.below(2) === 0 ? listPostgres(dataDir) : [];
  await killAll([...new Set([...listTree(server.pid), ...database])]);
  await Promise.all([...writers, server.ended]);
}

async function killWhileStarting(dataDir: string, ports: SpawnedServer["ports"], afterMs: number): Promise<void> {
  const environment = {
    SWITCHYARD_DATA_DIR: dataDir,
    PLATFORM_API_PORT: String(ports.platform),
    MCP_API_PORT: String(ports.gateway),
  };
  const server = spawnSwitchyard(["serve"], { environment });
  await delay(afterMs);
  await killAll(listTree(server.pid).concat(listPostgres(dataDir)));
  await server.ended;
}

/** Two servers begin to migrate an empty database together, and are killed in the middle of it. */
async function crashMigrations(rounds: number, random: Random): Promise<string[]> {
  const folder = createDataDir();
  const postgres = await startTestPostgres();
  try {
    const violations: string[] = [];
    const expected = await describeSchema(await postgres.createDatabase("whole"), folder.dataDir);
    for (let round = 0; round < rounds; round++) {
      const target = await postgres.createDatabase(`round_${round}`);
      await crashMigration(target, folder.dataDir, random);
      const found = await describeSchema(target, folder.dataDir);
      if (found !== expected) violations.push(`migrated to ${found} instead of ${expected}`);
      await runSql(postgres.target, `DROP DATABASE round_${round} WITH (FORCE)`);
    }
    return violations;
  } finally {
    await postgres.close();
    await folder.remove();
  }
}

type Target = Awaited<ReturnType<Awaited<ReturnType<typeof startTestPostgres>>["createDatabase"]>>;

const environmentOf = (target: Target, dataDir: string): Record<string, string> => {
  const { host, port, user, database } = target as { host: string; port: number; user: string; database: string };
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return { DATABASE_URL: url, SWITCHYARD_DATA_DIR: dataDir, LOG_LEVEL: "error" };
};

async function crashMigration(target: Target, dataDir: string, random: Random): Promise<void> {
  await runSql(target, slowDown);
  const ports = { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(await freePort()) };
  const environment = { ...environmentOf(target, dataDir), ...ports };
  const servers = [0, 1].map(() => spawnSwitchyard(["serve", "--roles", "worker"], { environment }));
  try {
    while ((await runSql(target, underWay)).length === 0) {
      const ended = servers.find(({ child }) => child.exitCode !== null);
      if (ended) throw new Error(`a server ended before it migrated: ${ended.output.stderr}`);
      await delay(10);
    }
    await delay(random.below(1_500));
  } finally {
    await killAll(servers.map(({ pid }) => pid));
    await Promise.all(servers.map(({ ended }) => ended));
  }
  await runSql(target, "DROP EVENT TRIGGER slow; DROP FUNCTION slow");
}

// So that there is a middle to be hit.
const slowDown = `
  CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.02); END';
  CREATE EVENT TRIGGER slow ON ddl_command_end EXECUTE FUNCTION slow()`;
const underWay =
  "SELECT pid FROM pg_stat_activity WHERE application_name = 'switchyard migration' AND datname = current_database()";

/** What is there after two processes have migrated what was left, together. */
async function describeSchema(target: Target, dataDir: string): Promise<string> {
  const environment = environmentOf(target, dataDir);
  const endings = await Promise.all([0, 1].map(() => spawnSwitchyard(["migrate"], { environment }).ended));
  const failed = endings.find(({ code }) => code !== 0);
  if (failed) return `an end with ${failed.code}: ${failed.stderr}`;
  const numbers = await runSql(
    target,
    "SELECT string_agg(number::text, ' ' ORDER BY number) AS numbers FROM schema_migration",
  );
  const schema = await runSql(
    target,
    `SELECT md5(string_agg(line, '|' ORDER BY line)) AS hash FROM (
       SELECT table_name || column_name || data_type || coalesce(column_default, '') || is_nullable AS line
       FROM information_schema.columns WHERE table_schema = 'public'
       UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
       UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     ) AS described`,
  );
  return JSON.stringify([numbers, schema]);
}
