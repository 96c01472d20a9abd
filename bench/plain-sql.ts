import pg from "pg";
import { startProcessorClock } from "./processor-time.ts";

/** What a record would cost if it were written plainly: one INSERT and one UPDATE for each, each in a commit of its own, on so many connections. */
export async function measurePlainRecords(
  databaseUrl: string,
  { connections, forMs }: { connections: number; forMs: number },
) {
  const clients = Array.from({ length: connections }, () => new pg.Client(databaseUrl));
  for (const client of clients) await client.connect();
  try {
    await clients[0]?.query(
      "CREATE TABLE IF NOT EXISTS bench_record (id uuid PRIMARY KEY, status text, input text, output text)",
    );
    const pids = await Promise.all(
      clients.map((client) => client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")),
    );
    const clock = startProcessorClock({ server: [], postgres: pids.flatMap(({ rows }) => rows.map(({ pid }) => pid)) });
    const startedAt = performance.now();
    let count = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (; performance.now() - startedAt < forMs; count++) await writeRecord(client);
      }),
    );
    const perSecond = count / ((performance.now() - startedAt) / 1_000);
    return { perSecond, postgresMicroseconds: clock().postgres / count };
  } finally {
    await clients[0]?.query("DROP TABLE bench_record");
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function writeRecord(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string }>({
    name: "insert",
    text: "INSERT INTO bench_record VALUES (gen_random_uuid(), 'running', '{}') RETURNING id",
  });
  const text = "UPDATE bench_record SET status = 'success', output = '[{}]' WHERE id = $1";
  await client.query({ name: "update", text, values: [rows[0]?.id] });
}
