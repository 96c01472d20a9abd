import pg from "pg";
import type { ConnectionTarget } from "./database.ts";

/** How many connections the database gives to those who are not its administrators. */
export async function readConnectionLimit(target: ConnectionTarget): Promise<number> {
  const client = new pg.Client({
    ...target,
    application_name: "switchyard supervisor",
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ count: number }>(
      `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS count`,
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end().catch(() => {});
  }
}
