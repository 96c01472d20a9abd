import { join } from "node:path";
import { z } from "zod";
import { createLog } from "../base/log.ts";
import { readConfig, readEnvironment } from "../config.ts";
import { openStorage } from "../parts.ts";
import { writeBackup } from "../storage/write-backup.ts";
import { readOptions } from "./command-line.ts";

const options = z.object({ file: z.string().min(1) });

/** Beside running servers, and without migrating: it is what one does before an update. */
export async function backup(words: string[]) {
  const { file } = readOptions(words, options);
  const config = readConfig(readEnvironment());
  const storage = await openStorage(config, createLog("silent"));
  try {
    const written = await writeBackup(storage.target, file);
    const masterKey = config.masterKey ? "SWITCHYARD_MASTER_KEY" : join(config.dataDir, "master.key");
    return { file, ...written, keepSeparately: masterKey };
  } finally {
    await storage.close();
  }
}
