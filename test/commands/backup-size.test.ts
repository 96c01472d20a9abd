import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spawnSwitchyard } from "../support/spawned-server.ts";
import { fingerprints, type TestDatabase } from "../support/storage/backups.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { testKeys } from "../support/test-settings.ts";

const script = path.join(import.meta.dirname, "..", "support", "report-memory.mjs");
const folder = mkdtempSync(path.join(tmpdir(), "switchyard-backup-size-"));
const memoryFile = path.join(folder, "memory");
const megabyte = 2 ** 20;
/** Less than half of what is backed up. */
const heapMegabytes = 256;
let small: TestDatabase;
let large: TestDatabase;
let blank: TestDatabase;

beforeAll(async () => {
  [small, large, blank] = [
    await createTestDatabase(),
    await createTestDatabase(),
    await createTestDatabase({ isBlank: true }),
  ];
  // Quotation marks, of which JSON is full, take twice the room in a line: 600 MB, more than one text of JavaScript can hold.
  await large.query(
    `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, outputs, started_at, duration_ms)
     SELECT gen_random_uuid(), gen_random_uuid(), 'node', 'set_fields', 'succeeded', 1, 1, repeat('"', 5 * 1024 * 1024), now(), 1
     FROM generate_series(1, 60)`,
  );
});
afterAll(async () => {
  for (const database of [small, large, blank]) await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command as a process of its own; gives the most memory it had, in bytes. */
async function memoryOf(words: string[], { url }: TestDatabase): Promise<number> {
  const environment = {
    DATABASE_URL: url,
    SWITCHYARD_DATA_DIR: folder,
    SWITCHYARD_MASTER_KEY: testKeys.SWITCHYARD_MASTER_KEY,
    // Without a limit the collector lets the heap grow as long as there is memory, and the figure says little.
    NODE_OPTIONS: `--import ${script} --max-old-space-size=${heapMegabytes}`,
    TEST_MEMORY_FILE: memoryFile,
  };
  const { code, stderr } = await spawnSwitchyard(words, { environment, limitMs: 120_000 }).ended;
  expect([code, stderr]).toEqual([0, ""]);
  return Number(readFileSync(memoryFile, "utf8"));
}

it("needs no more memory, to write it or to read it, than a few of the largest rows", async () => {
  const file = path.join(folder, "large.backup");
  const least = await memoryOf(["backup", "--file", path.join(folder, "small.backup")], small);
  expect(await memoryOf(["backup", "--file", file], large)).toBeLessThan(least + 400 * megabyte);
  expect(await memoryOf(["restore", "--file", file], blank)).toBeLessThan(least + 400 * megabyte);
  expect(await fingerprints(blank)).toEqual(await fingerprints(large));
}, 300_000);
