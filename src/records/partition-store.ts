import type { Sql } from "../storage/database.ts";

export const partitionedTables = ["tool_call", "run", "run_node"] as const;
export type PartitionedTable = (typeof partitionedTables)[number];

/** Ids from `low` on and below `high`; null where there is no end. */
export type Partition = { table: PartitionedTable; name: string; low: string | null; high: string | null };

const keys: Record<PartitionedTable, string> = { tool_call: "id", run: "id", run_node: "run_id" };
// Every run is written several times, so its pages need room for that.
const settings: Partial<Record<PartitionedTable, string>> = { run: "WITH (fillfactor = 70)" };

const listStatement = {
  name: "",
  text: `SELECT parent.relname AS "table", child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
         FROM pg_inherits JOIN pg_class AS parent ON parent.oid = inhparent JOIN pg_class AS child ON child.oid = inhrelid
         WHERE inhparent = ANY ($1::text[]::regclass[])`,
};

/** From the past to the future. */
export async function listPartitions(
  sql: Sql,
  tables: readonly PartitionedTable[] = partitionedTables,
): Promise<Partition[]> {
  const rows = await sql<{ table: PartitionedTable; name: string; bounds: string }>(listStatement, [tables]);
  return rows.map(toPartition).sort((one, other) => ((one.low ?? "") < (other.low ?? "") ? -1 : 1));
}

function toPartition({ table, name, bounds }: { table: PartitionedTable; name: string; bounds: string }): Partition {
  const [, low, high] =
    /^FOR VALUES FROM \((?:'([0-9a-f-]{36})'|MINVALUE)\) TO \((?:'([0-9a-f-]{36})'|MAXVALUE)\)$/.exec(bounds) ?? [];
  return { table, name, low: low ?? null, high: high ?? null };
}

/** Whether this transaction is the only one that changes partitions, and how long it may make others wait. */
export async function lockPartitions(sql: Sql, mostWaitMs: number): Promise<boolean> {
  await sql({ name: "", text: `SET LOCAL lock_timeout = ${mostWaitMs}` }, []);
  const text = "SELECT pg_try_advisory_xact_lock(hashtext('switchyard partitions')) AS locked";
  return (await sql<{ locked: boolean }>({ name: "", text }, []))[0]?.locked === true;
}

/** Gives the ids from where the future begins up to `high` a table of their own. */
export async function splitFuture(
  sql: Sql,
  future: Partition,
  { name, high }: { name: string; high: string },
): Promise<Partition> {
  const { table } = future;
  const key = keys[table];
  const move = `WITH moved AS (DELETE FROM ${future.name} WHERE ${key} < '${high}' RETURNING *) INSERT INTO ${name} SELECT * FROM moved`;
  await runAll(sql, [
    `ALTER TABLE ${table} DETACH PARTITION ${future.name}`,
    `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${future.low}') TO ('${high}') ${settings[table] ?? ""}`,
    move,
    `ALTER TABLE ${table} ATTACH PARTITION ${future.name} FOR VALUES FROM ('${high}') TO (MAXVALUE)`,
  ]);
  return { ...future, low: high };
}

/** Replaces the oldest partitions by an empty past, which takes whatever a clock that is behind still sends. */
export async function dropPartitions(sql: Sql, table: PartitionedTable, dropped: Partition[]): Promise<void> {
  await runAll(sql, [
    `LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`,
    ...dropped.map(({ name }) => `DROP TABLE ${name}`),
    `CREATE TABLE ${table}_past PARTITION OF ${table} FOR VALUES FROM (MINVALUE) TO ('${dropped.at(-1)?.high}') ${settings[table] ?? ""}`,
  ]);
}

const unfinished: Partial<Record<PartitionedTable, string>> = {
  tool_call: "status = 'running'",
  run: "status IN ('pending', 'running', 'waiting')",
};

/** Whether something in it has not ended; of nodes, whether their runs are there. Nobody can write to it until the transaction ends. */
export async function isInUse(sql: Sql, { table, name, high }: Partition): Promise<boolean> {
  await sql({ name: "", text: `LOCK TABLE ${name} IN SHARE MODE` }, []);
  const use = unfinished[table];
  return await exists(sql, use ? `${name} WHERE ${use}` : `run WHERE id < '${high}'`);
}

export const isEmpty = async (sql: Sql, { name }: Partition): Promise<boolean> => !(await exists(sql, name));

async function exists(sql: Sql, source: string): Promise<boolean> {
  return (
    (await sql<{ found: boolean }>({ name: "", text: `SELECT EXISTS (SELECT FROM ${source}) AS found` }, []))[0]
      ?.found === true
  );
}

async function runAll(sql: Sql, texts: string[]): Promise<void> {
  for (const text of texts) await sql({ name: "", text }, []);
}
