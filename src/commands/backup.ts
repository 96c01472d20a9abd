import { z } from "zod";
import { createLog } from "../base/log.ts";
import { readConfig, readEnvironment } from "../config.ts";
import { openStorage } from "../storage/open-storage.ts";
import { writeBackup } from "../storage/write-backup.ts";
import { createKeyRingSource } from "../vault/key-ring.ts";
import { readOptions } from "./command-line.ts";

const options = z.object({ file: z.string().min(1) });

/** Beside running servers, and without migrating: it is what one does before an update. */
export async function backup(words: string[]) {
  const { file } = readOptions(words, options);
  const config = readConfig(readEnvironment());
  const storage = await openStorage(config, createLog("silent"));
  try {
    const written = await writeBackup(storage.target, file);
    const { dataDir, masterKey, previousMasterKeys: previousKeys } = config;
    return { file, ...written, keepSeparately: createKeyRingSource({ dataDir, masterKey, previousKeys }).keptIn() };
  } finally {
    await storage.close();
  }
}
