import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { codeFolder } from "../base/own-files.ts";
import type { ConnectionTarget } from "./database.ts";

export const migrationsFolder = path.join(codeFolder, "storage", "migrations");

/** Brings the schema up to date. Safe to call from any number of processes at once; a killed one leaves no half-applied file. */
export async function migrate(
  target: ConnectionTarget,
  { folder }: { folder: string },
): Promise<{ applied: string[]; version: number }> {
  const files = await readMigrations(folder);
  // Its own connection, because a migration may take longer than the pool lets a query take.
  const client = new pg.Client({
    ...target,
    application_name: "switchyard migration",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SET statement_timeout = 0; SET client_min_messages = warning");
    const applied: string[] = [];
    for (;;) {
      const file = await applyNext(client, files);
      if (file === undefined) return { applied, version: files.length };
      applied.push(file.fileName);
    }
  } finally {
    await client.end();
  }
}

/** The same inside the caller's transaction, up to the given number or all. */
export async function migrateWithin(
  client: pg.Client,
  { folder, upTo }: { folder: string; upTo?: number },
): Promise<void> {
  const files = (await readMigrations(folder)).slice(0, upTo);
  while ((await applyFirstMissing(client, files)) !== undefined);
}

export const countMigrations = async (folder: string): Promise<number> => (await readMigrations(folder)).length;

type Migration = { number: number; name: string; fileName: string; sha256: string; text: string };
export type AppliedMigration = { number: number; name: string; sha256: string };

const lockKey = 5_714_921_883;

/** The lock belongs to the transaction, so it is gone with a killed process and works through transaction poolers. */
async function applyNext(client: pg.Client, files: Migration[]): Promise<Migration | undefined> {
  await client.query("BEGIN");
  try {
    const next = await applyFirstMissing(client, files);
    await client.query("COMMIT");
    return next;
  } catch (error) {
    // A lost connection rolls back by itself, and its failure must not hide the first one.
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function applyFirstMissing(client: pg.Client, files: Migration[]): Promise<Migration | undefined> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
  await client.query(createTable);
  const applied = await listApplied(client);
  checkHistory(applied, files);
  const next = files[applied.length];
  if (next !== undefined) await apply(client, next);
  return next;
}

export async function listApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    "SELECT number, name, sha256 FROM schema_migration ORDER BY number",
  );
  return rows;
}

const createTable = `CREATE TABLE IF NOT EXISTS schema_migration (
  number integer PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`;

async function apply(client: pg.Client, { number, name, fileName, sha256, text }: Migration): Promise<void> {
  const transactionId = () =>
    client.query<{ id: string }>("SELECT pg_current_xact_id()::text AS id").then(({ rows }) => rows[0]?.id);
  const before = await transactionId();
  try {
    await client.query(text);
  } catch (error) {
    throw new Error(`The migration ${fileName} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if ((await transactionId()) !== before)
    throw new Error(`The migration ${fileName} ends its transaction; it must contain no COMMIT or ROLLBACK.`);
  await client.query("INSERT INTO schema_migration (number, name, sha256) VALUES ($1, $2, $3)", [number, name, sha256]);
}

function checkHistory(applied: AppliedMigration[], files: Migration[]): void {
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    if (row.number !== index + 1)
      throw new Error(
        `The database lacks migration ${index + 1} but has ${row.number}; its history was edited by hand.`,
      );
    if (file === undefined) {
      throw new Error(
        `The database is newer than this version of Switchyard (it has migration ${row.number} "${row.name}"). Start the newer version.`,
      );
    }
    if (file.sha256 !== row.sha256)
      throw new Error(
        `The migration ${file.fileName} was changed after it was applied. Restore it and add a new file instead.`,
      );
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const fileNames = (await readdir(folder)).filter((fileName) => fileName.endsWith(".sql")).sort();
  return Promise.all(fileNames.map((fileName, index) => readMigration(folder, fileName, index + 1)));
}

async function readMigration(folder: string, fileName: string, expectedNumber: number): Promise<Migration> {
  const match = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(fileName);
  const [, digits, name] = match ?? [];
  if (digits === undefined || name === undefined)
    throw new Error(`The migration ${fileName} must be named like 0001-name.sql.`);
  const number = Number(digits);
  if (number !== expectedNumber)
    throw new Error(`Migration ${String(expectedNumber).padStart(4, "0")} is missing or ${fileName} repeats a number.`);
  // A checkout that turns line ends into CRLF is still the same migration.
  const text = (await readFile(path.join(folder, fileName), "utf8")).replaceAll("\r\n", "\n");
  return { number, name, fileName, sha256: createHash("sha256").update(text).digest("hex"), text };
}
