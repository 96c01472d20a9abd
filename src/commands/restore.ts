import { existsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { z } from "zod";
import { createLog } from "../base/log.ts";
import { type Config, readConfig, readEnvironment } from "../config.ts";
import { requeueRuns } from "../runs/queue/requeue-runs.ts";
import { createRunQueue } from "../runs/queue/run-queue.ts";
import type { ConnectionTarget, Sql, Statement } from "../storage/database.ts";
import { migrationsFolder } from "../storage/migrate.ts";
import { openStorage } from "../storage/open-storage.ts";
import { restoreBackup } from "../storage/restore-backup.ts";
import { createKeyRingSource } from "../vault/key-ring.ts";
import { requireKeys } from "../vault/master-key.ts";
import { createSeal } from "../vault/seal.ts";
import { readOptions } from "./command-line.ts";

const options = z.object({ file: z.string().min(1), overwrite: z.boolean().optional() });

/** Into an empty database, with the master key the backup was sealed with already in its place. */
export async function restore(words: string[]) {
  const { file, overwrite = false } = readOptions(words, options);
  const config = readConfig(readEnvironment());
  requireMasterKey(config);
  const storage = await openStorage(config, createLog("silent"));
  let unfinishedRuns = 0;
  try {
    const { rows } = await restoreBackup({
      target: storage.target,
      file,
      migrationsFolder,
      mayOverwrite: overwrite,
      async finish(client) {
        await checkKeys(client, config);
        unfinishedRuns = await queueRuns(client, storage.target);
      },
    });
    return { file, rows, unfinishedRuns };
  } finally {
    await storage.close();
  }
}

// Otherwise a new key would be made in its place, and nobody would know which is which.
function requireMasterKey({ masterKey, dataDir }: Config): void {
  if (masterKey || existsSync(join(dataDir, "master.key"))) return;
  throw new Error(
    `Put the master key of the backup in its place first: master.key in ${dataDir}, or SWITCHYARD_MASTER_KEY.`,
  );
}

async function checkKeys(client: pg.Client, { dataDir, masterKey, previousMasterKeys }: Config): Promise<void> {
  const { rows } = await client.query<{ key_id: string; sealed: Buffer }>(
    "SELECT key_id, sealed FROM master_key_check",
  );
  requireKeys(createSeal(createKeyRingSource({ dataDir, masterKey, previousKeys: previousMasterKeys }).read), rows);
}

async function queueRuns(client: pg.Client, target: ConnectionTarget): Promise<number> {
  const queue = createRunQueue({ target, log: createLog("silent"), supervises: false });
  const sql: Sql = async <Row>({ text }: Statement, values: unknown[]) =>
    (await client.query<Record<string, unknown>>({ text, values })).rows as Row[];
  try {
    await queue.start();
    return await requeueRuns(sql, queue);
  } finally {
    await queue.stop();
  }
}
