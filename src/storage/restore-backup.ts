import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import pg from "pg";
import { type BackupHead, backupHead, backupSection, longestLine } from "./backup-format.ts";
import { type BackedUpTable, dropAll, listParts } from "./backup-tables.ts";
import type { ConnectionTarget } from "./database.ts";
import { countMigrations, listApplied, migrateWithin } from "./migrate.ts";

type Options = {
  target: ConnectionTarget;
  file: string;
  migrationsFolder: string;
  mayOverwrite: boolean;
  /** In the same transaction, when all rows are there. */
  finish: (client: pg.Client) => Promise<void>;
};

/** Puts the backup in the place of everything that is in the database, and brings it up to date: all of it or, after any failure, nothing. */
export async function restoreBackup({
  target,
  file,
  migrationsFolder,
  mayOverwrite,
  finish,
}: Options): Promise<{ rows: number }> {
  const client = new pg.Client({
    ...target,
    application_name: "switchyard restore",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SET statement_timeout = 0; SET client_min_messages = warning; BEGIN");
    await requireRoom(client, mayOverwrite);
    await dropAll(client);
    const rows = await readInto(client, file, migrationsFolder);
    await migrateWithin(client, { folder: migrationsFolder });
    await finish(client);
    await client.query("COMMIT");
    // Otherwise the first queries are planned as if the tables were empty.
    await client.query("ANALYZE");
    return { rows };
  } finally {
    // Without a COMMIT this is the end of the transaction too.
    await client.end();
  }
}

async function requireRoom(client: pg.Client, mayOverwrite: boolean): Promise<void> {
  const others = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
     AND application_name LIKE 'switchyard%' AND application_name <> 'switchyard lease'`,
  );
  if (others.rowCount !== 0) throw new Error("Servers are working on this database. Stop them first.");
  const found = await client.query<{ isOurs: boolean; tables: number }>(
    `SELECT to_regclass('schema_migration') IS NOT NULL AND to_regclass('organization') IS NOT NULL AS "isOurs", count(*)::int AS tables
     FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
  );
  const { isOurs, tables } = found.rows[0] ?? { isOurs: false, tables: 0 };
  if (tables > 0 && !isOurs)
    throw new Error("This database holds tables of something else. Give Switchyard a database of its own.");
  if (!isOurs || mayOverwrite) return;
  const { rowCount } = await client.query(
    "(SELECT FROM organization LIMIT 1) UNION ALL (SELECT FROM app_user LIMIT 1)",
  );
  if (rowCount !== 0)
    throw new Error(
      "This database holds an installation already. Say --overwrite to lose everything in it, or restore into an empty one.",
    );
}

const notComplete = "The backup is not complete.";
const noBackup = "This is no backup of Switchyard, or it is damaged.";

async function readInto(client: pg.Client, file: string, migrationsFolder: string): Promise<number> {
  const lines = readLines(file);
  const first: IteratorResult<string, undefined> = await lines.next();
  await makeTables(client, readHead(first.value ?? ""), migrationsFolder);
  let insert = async (_rows: string): Promise<number> => 0;
  let rows = 0;
  for await (const line of lines) {
    if (line.startsWith("[")) rows += await insert(line);
    else {
      const section = backupSection.parse(parseJson(line));
      if (!("rows" in section)) insert = await createInsert(client, section);
      else if (section.rows === rows) return rows;
    }
  }
  throw new Error(notComplete);
}

async function* readLines(file: string): AsyncGenerator<string, undefined> {
  const text = createGunzip().setEncoding("utf8");
  const whole = pipeline(createReadStream(file), text);
  whole.catch(() => {});
  let pieces: string[] = [];
  let length = 0;
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const [first = "", ...others] = chunk.split("\n");
      pieces.push(first);
      length += first.length;
      if (length > longestLine) throw new Error(noBackup);
      for (const other of others) {
        yield pieces.join("");
        [pieces, length] = [[other], other.length];
      }
    }
  } catch (error) {
    throw describeUnreadable(error as NodeJS.ErrnoException);
  }
}

function describeUnreadable(error: NodeJS.ErrnoException): Error {
  if (error.code === "Z_BUF_ERROR") return new Error(notComplete);
  if (error.code === "Z_DATA_ERROR") return new Error(noBackup);
  return error.syscall ? new Error(`--file: cannot be read (${error.code})`) : error;
}

function readHead(line: string): BackupHead {
  const head = backupHead.safeParse(parseJson(line));
  if (!head.success) throw new Error("This is no backup of Switchyard, or one of a newer version.");
  return head.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The schema that the backup was taken from, empty. */
async function makeTables(client: pg.Client, { migrations, parts }: BackupHead, folder: string): Promise<void> {
  if (migrations.length > (await countMigrations(folder)))
    throw new Error("The backup is newer than this version of Switchyard. Restore it with the newer version.");
  await migrateWithin(client, { folder, upTo: migrations.length });
  const made = await listApplied(client);
  if (made.some(({ sha256 }, index) => sha256 !== migrations[index]?.sha256))
    throw new Error("The backup was taken from a database with another history of migrations.");
  for (const { part } of await listParts(client)) await client.query(`DROP TABLE ${client.escapeIdentifier(part)}`);
  for (const { table, part, bounds, options } of parts) {
    const storage = options ? ` WITH (${options.join(", ")})` : "";
    await client.query(
      `CREATE TABLE ${client.escapeIdentifier(part)} PARTITION OF ${client.escapeIdentifier(table)} ${bounds}${storage}`,
    );
  }
}

async function createInsert(client: pg.Client, { table, columns }: BackedUpTable) {
  const name = client.escapeIdentifier(table);
  const names = columns.map((column) => client.escapeIdentifier(column)).join(", ");
  // With its schema, because a type of PostgreSQL's own goes before a table of the same name, and "trigger" is one.
  const { rows: schemas } = await client.query<{ schema: string }>("SELECT current_schema()::text AS schema");
  const rowType = `${client.escapeIdentifier(schemas[0]?.schema ?? "public")}.${name}`;
  const text = `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${rowType}, $1::json)`;
  // What migrations put into it is in the backup too, as it was then.
  await client.query(`DELETE FROM ${name}`);
  return async (rows: string): Promise<number> => (await client.query(text, [rows])).rowCount ?? 0;
}
