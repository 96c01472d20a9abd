import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { templateDatabase } from "../global-setup.ts";

/** A migrated database of its own for the calling test file, or one with nothing in it. */
export async function createTestDatabase({ isBlank = false } = {}) {
  const server = inject("postgres");
  const database = `test_${randomBytes(6).toString("hex")}`;
  await administer(`CREATE DATABASE ${database} TEMPLATE ${isBlank ? "template0" : templateDatabase}`);
  const target = { ...server, database };
  // Sessions are kept for a moment, because many tests look again and again until something has happened.
  const pool = new pg.Pool({ ...target, max: 10, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  // Tests end sessions, and the drop ends those that are left.
  pool.on("error", () => {});
  return {
    target,
    url: `postgres://${server.user}@localhost/${database}?host=${encodeURIComponent(server.host)}&port=${server.port}`,
    /** SQL behind the product's back: to plant rows and to look at what was stored. */
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await pool.query<Row>(text, values)).rows;
    },
    async drop(): Promise<void> {
      await administer(`DROP DATABASE ${database} WITH (FORCE)`);
      await pool.end();
    },
  };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject("postgres"), database: "postgres" });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
