import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { createLog } from "../../src/base/log.ts";
import type { ConnectionTarget } from "../../src/storage/database.ts";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../../src/storage/migrate.ts";

export type TestServer = Extract<ConnectionTarget, { host: string }>;

declare module "vitest" {
  export interface ProvidedContext {
    postgres: TestServer;
  }
}

export const templateDatabase = "switchyard_template";

/** One PostgreSQL for the whole run and one migrated database in it, which each test file copies. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "switchyard-test-"));
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };
  const server = await startEmbeddedPostgres({ dataDir, log: createLog("error"), settings });
  const target = server.target as TestServer;
  await createTemplate(target);
  project.provide("postgres", target);
  return async () => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

async function createTemplate(target: TestServer): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${templateDatabase}`);
  } finally {
    await client.end();
  }
  await migrate({ ...target, database: templateDatabase }, { folder: migrationsFolder });
}
