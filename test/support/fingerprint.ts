import pg from "pg";

// Here processes say that they are alive, whatever requests do.
const heartbeats = /^(slot_|recorder$)/;

/** One text that changes when any row of any table does, but for the heartbeat of the processes, which no request causes. */
export async function openFingerprint(target: pg.ClientConfig) {
  const client = new pg.Client(target);
  await client.connect();
  // So many tables look like much work, for which workers would be started at each reading.
  await client.query("SET max_parallel_workers_per_gather = 0; SET jit = off");
  const tables = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'slot_worker' ORDER BY 1",
  );
  const text = tables.rows
    .filter(({ name }) => !heartbeats.test(name))
    .map(
      ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS hash FROM "${name}" t`,
    )
    .join(" UNION ALL ");
  return {
    async read(): Promise<string> {
      const { rows } = await client.query<{ hash: string }>({ name: "fingerprint", text: `${text} ORDER BY name` });
      return rows.map(({ hash }) => hash).join();
    },
    close: () => client.end(),
  };
}
