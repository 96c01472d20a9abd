import type { Database } from "../../storage/database.ts";

const statement = { name: "run_clock", text: "SELECT clock_timestamp() AS now" };

export async function readDatabaseNow(db: Database): Promise<Date> {
  const [row] = await db.prepared<{ now: Date }>(statement, []);
  if (!row) throw new Error("The database did not say what time it is.");
  return row.now;
}
