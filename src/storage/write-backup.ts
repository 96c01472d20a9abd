import { createWriteStream, existsSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import pg from "pg";
import { type BackupHead, backupFormat } from "./backup-format.ts";
import { readRows } from "./backup-rows.ts";
import { type BackedUpTable, listParts, listTables } from "./backup-tables.ts";
import type { ConnectionTarget } from "./database.ts";
import { listApplied } from "./migrate.ts";

/** Writes one moment of the whole database into a file that only its owner may read, while servers go on working. */
export async function writeBackup(
  target: ConnectionTarget,
  file: string,
): Promise<{ tables: number; rows: number; bytes: number }> {
  if (existsSync(file)) throw new Error(`${file} exists already; a backup replaces no file.`);
  const draft = `${file}.part`;
  const client = new pg.Client({
    ...target,
    application_name: "switchyard backup",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SET statement_timeout = 0; BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const tables = await listTables(client);
    const counted = { rows: 0 };
    const head = await describe(client);
    await pipeline(
      Readable.from(describeLines(client, { head, tables, counted })),
      createGzip(),
      createWriteStream(draft, { mode: 0o600, flags: "wx" }),
    );
    await flush(draft);
    await rename(draft, file);
    return { tables: tables.length, rows: counted.rows, bytes: (await stat(file)).size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") await rm(draft, { force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function describe(client: pg.Client): Promise<BackupHead> {
  const { rows } = await client.query<{ found: string | null }>("SELECT to_regclass('schema_migration') AS found");
  const migrations = rows[0]?.found ? await listApplied(client) : [];
  if (migrations.length === 0) throw new Error("There is no data of Switchyard in this database.");
  return {
    format: backupFormat,
    formatVersion: 1,
    createdAt: new Date().toISOString(),
    migrations,
    parts: await listParts(client),
  };
}

type Contents = { head: BackupHead; tables: BackedUpTable[]; counted: { rows: number } };

async function* describeLines(client: pg.Client, { head, tables, counted }: Contents): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`;
  for (const table of tables) {
    yield `${JSON.stringify(table)}\n`;
    for await (const rows of readRows(client, table)) {
      counted.rows += rows.length;
      yield `[${rows.join(",")}]\n`;
    }
  }
  yield `${JSON.stringify(counted)}\n`;
}

async function flush(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
