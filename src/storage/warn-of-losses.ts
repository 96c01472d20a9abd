import type { Log } from "../base/log.ts";
import type { Database, Statement } from "./database.ts";

const statement: Statement = {
  name: "lossy_settings",
  text: `SELECT name FROM pg_settings
         WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`,
};

/** What was answered is stored, as far as the database means it when it says so. */
export async function warnOfLosses(db: Database, log: Log): Promise<void> {
  const off = (await db.prepared<{ name: string }>(statement, [])).map(({ name }) => name);
  if (off.length > 0)
    log.warn(
      { off },
      "Calls and runs that were answered may be missing after a crash of PostgreSQL: its settings allow it.",
    );
}
