import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runSql, startTestPostgres } from "../../test/support/storage/test-postgres.ts";
import type { ConnectionTarget } from "./database.ts";
import { migrate } from "./migrate.ts";

let server: Awaited<ReturnType<typeof startTestPostgres>>;
let scratch: string;
let folder: string;
let target: ConnectionTarget;
let count = 0;

beforeAll(async () => {
  server = await startTestPostgres();
  scratch = await mkdtemp(path.join(tmpdir(), "switchyard-migrations-"));
});
afterAll(async () => {
  await server.close();
  await rm(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  count += 1;
  folder = path.join(scratch, String(count));
  await mkdir(folder);
  target = await server.createDatabase(`migrate_${count}`);
  await write("0001-first.sql", "CREATE TABLE first (id int); INSERT INTO first VALUES (1);");
  await write("0002-second.sql", "CREATE TABLE second (id int);");
});

const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
const numbers = async () =>
  (await runSql(target, "SELECT number FROM schema_migration ORDER BY number")).map((row) => row.number);

function migrateInProcess(): ChildProcess {
  const program = `
    const { migrate } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, "migrate.ts")).href)});
    const { applied } = await migrate(${JSON.stringify(target)}, { folder: ${JSON.stringify(folder)} });
    console.log(applied.length);`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
}

test("applies each file once, in order, and a new one later", async () => {
  expect(await migrate(target, { folder })).toEqual({ applied: ["0001-first.sql", "0002-second.sql"], version: 2 });
  expect(await migrate(target, { folder })).toEqual({ applied: [], version: 2 });
  await write("0003-third.sql", "ALTER TABLE second ADD COLUMN name text;");
  expect(await migrate(target, { folder })).toEqual({ applied: ["0003-third.sql"], version: 3 });
  expect(await numbers()).toEqual([1, 2, 3]);
});

test("applies each file once when three processes start together", async () => {
  await write("0003-slow.sql", "INSERT INTO first VALUES (2); SELECT pg_sleep(0.3);");
  const children = [migrateInProcess(), migrateInProcess(), migrateInProcess()];
  const outputs = await Promise.all(
    children.map(async (child) => {
      let output = "";
      child.stdout?.on("data", (chunk: Buffer) => (output += chunk));
      const [code] = await once(child, "close");
      expect(code).toBe(0);
      return Number(output);
    }),
  );
  expect(outputs.reduce((sum, applied) => sum + applied, 0)).toBe(3);
  expect(await runSql(target, "SELECT id FROM first ORDER BY id")).toEqual([{ id: 1 }, { id: 2 }]);
});

test("leaves nothing of a migration whose process was killed, and completes it next time", async () => {
  await write("0003-slow.sql", "CREATE TABLE third (id int); SELECT pg_sleep(0.7);");
  const child = migrateInProcess();
  await expect
    .poll(
      () =>
        runSql(target, "SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.7)%' AND pid <> pg_backend_pid()"),
      {
        timeout: 5_000,
      },
    )
    .toHaveLength(1);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(await runSql(target, "SELECT to_regclass('third') AS found")).toEqual([{ found: null }]);
  expect(await migrate(target, { folder })).toEqual({ applied: ["0003-slow.sql"], version: 3 });
  expect(await numbers()).toEqual([1, 2, 3]);
});

test("leaves nothing of a failed migration and keeps those before it", async () => {
  await write("0003-broken.sql", "CREATE TABLE third (id int); SELECT 1/0;");
  await expect(migrate(target, { folder })).rejects.toThrow(/0003-broken\.sql failed: division by zero/);
  expect(await runSql(target, "SELECT to_regclass('third') AS found")).toEqual([{ found: null }]);
  expect(await numbers()).toEqual([1, 2]);
});

test("refuses a file that was changed after it was applied, but not for other line ends", async () => {
  await write("0001-first.sql", "CREATE TABLE first (\nid int);");
  await migrate(target, { folder });
  await write("0001-first.sql", "CREATE TABLE first (\r\nid int);");
  expect(await migrate(target, { folder })).toEqual({ applied: [], version: 2 });
  await write("0001-first.sql", "CREATE TABLE first (\nid int8);");
  await expect(migrate(target, { folder })).rejects.toThrow(/0001-first\.sql was changed/);
});

test("refuses a missing number, a repeated one and a badly named file", async () => {
  await write("0004-fourth.sql", "SELECT 1;");
  await expect(migrate(target, { folder })).rejects.toThrow(/0003 is missing/);
  await rm(path.join(folder, "0004-fourth.sql"));
  await write("0002-again.sql", "SELECT 1;");
  await expect(migrate(target, { folder })).rejects.toThrow(/repeats a number/);
  await rm(path.join(folder, "0002-again.sql"));
  await write("3-third.sql", "SELECT 1;");
  await expect(migrate(target, { folder })).rejects.toThrow(/must be named/);
});

test("refuses a database that is newer than the code", async () => {
  await migrate(target, { folder });
  await rm(path.join(folder, "0002-second.sql"));
  await expect(migrate(target, { folder })).rejects.toThrow(/newer than this version/);
});

test("refuses a file that ends its transaction", async () => {
  await write("0003-commits.sql", "CREATE TABLE third (id int); COMMIT; BEGIN;");
  await expect(migrate(target, { folder })).rejects.toThrow(/no COMMIT or ROLLBACK/);
});
