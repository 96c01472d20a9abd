import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { pino } from "pino";
import { startEmbeddedPostgres } from "../../../src/storage/embedded-postgres.ts";

export const silentLog = pino({ level: "silent" });
export const quickSettings = { fsync: "off", synchronous_commit: "off" };

/** A real server for tests, in a folder of its own that `close()` removes. */
export async function startTestPostgres() {
  const dataDir = await mkdtemp(path.join(tmpdir(), "switchyard-test-"));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: silentLog,
    systemDir: path.join(dataDir, "system"),
    settings: quickSettings,
  });
  return {
    target: postgres.target,
    async close() {
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    /** An empty database on the same server. */
    async createDatabase(name: string) {
      await runSql(postgres.target, `CREATE DATABASE ${name}`);
      return { ...postgres.target, database: name };
    },
  };
}

export async function runSql(
  target: pg.ClientConfig,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(target);
  // Some tests kill the server under this connection; the query fails, but an unheard error event would end the run.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}
