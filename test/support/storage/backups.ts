import path from "node:path";
import { vi } from "vitest";
import { backup } from "../../../src/commands/backup.ts";
import { restore } from "../../../src/commands/restore.ts";
import { testKeys } from "../test-settings.ts";
import type { createTestDatabase } from "./test-database.ts";

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** The commands in this process, on databases that the test names. */
export function createBackups(folder: string) {
  const dataDir = path.join(folder, "data");

  async function onDatabase<Value>(
    { url }: TestDatabase,
    run: () => Promise<Value>,
    masterKey = testKeys.SWITCHYARD_MASTER_KEY,
  ) {
    const environment = { DATABASE_URL: url, SWITCHYARD_DATA_DIR: dataDir, SWITCHYARD_MASTER_KEY: masterKey };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    try {
      return await run();
    } finally {
      vi.unstubAllEnvs();
    }
  }
  return {
    dataDir,
    backUp: (database: TestDatabase, to: string, { masterKey }: { masterKey?: string } = {}) =>
      onDatabase(database, () => backup(["--file", to]), masterKey),
    restoreInto: (
      database: TestDatabase,
      from: string,
      { words = [], masterKey }: { words?: string[]; masterKey?: string } = {},
    ) => onDatabase(database, () => restore(["--file", from, ...words]), masterKey),
  };
}

/** What each table that outlives a process holds. Left out is when migrations were applied. */
export async function fingerprints({ query }: Pick<TestDatabase, "query">, leftOut: string[] = []) {
  const tables = await query<{ name: string; isPart: boolean }>(
    `SELECT relname::text AS name, relispartition AS "isPart" FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
     AND relpersistence = 'p' AND relname <> 'schema_migration' AND relname <> ALL ($1) ORDER BY relname`,
    [leftOut],
  );
  const found: Record<string, { rows: number; text: string | null; isPart: boolean }> = {};
  for (const { name, isPart } of tables) {
    const [row] = await query<{ rows: number; text: string | null }>(
      `SELECT count(*)::int AS rows, md5(string_agg(one::text, '|' ORDER BY one::text)) AS text FROM "${name}" AS one`,
    );
    if (row) found[name] = { ...row, isPart };
  }
  return found;
}
