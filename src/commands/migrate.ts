import { z } from "zod";
import { readOptions, withParts } from "./command-line.ts";

/** Opening the parts migrates; this command is for deployments that do it as a step of its own. */
export async function migrateDatabase(words: string[]) {
  readOptions(words, z.object({}));
  return await withParts(async () => ({ migrated: true }));
}
