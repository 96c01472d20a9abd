import type { Database } from "./database.ts";

/** Not this machine's clock: all processes go by one, and a wrong one would remove what is still wanted. */
export async function readDatabaseTime(db: Database): Promise<Date> {
  const [row] = await db.prepared<{ now: Date }>({ name: "", text: "SELECT now() AS now" }, []);
  return row?.now ?? new Date(0);
}

/** Before changes are read: whatever commits later is newer than this, but for the time that one statement can take. */
export async function readNowMicroseconds(db: Database): Promise<number> {
  const text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now";
  const [row] = await db.prepared<{ now: number }>({ name: "", text }, []);
  return Number(row?.now);
}
