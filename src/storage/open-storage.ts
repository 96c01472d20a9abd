import type { Logger } from "pino";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";

type Place = { databaseUrl: string | undefined; dataDir: string };

/** The database alone, as it is: nothing is migrated. */
export async function openStorage(
  { databaseUrl, dataDir }: Place,
  log: Logger,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  if (databaseUrl !== undefined) return { target: { connectionString: databaseUrl }, close: async () => {} };
  return await startEmbeddedPostgres({ dataDir, log, settings });
}
