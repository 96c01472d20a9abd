import { newId } from "../../../src/base/ids.ts";
import { Refusal } from "../../../src/base/refusal.ts";
import type { StartRun } from "../../../src/runs/accept/start-run.ts";
import type { Database } from "../../../src/storage/database.ts";

export const startedTable =
  "CREATE TABLE started (id uuid PRIMARY KEY, trigger_id uuid, key text UNIQUE, request text NOT NULL, at timestamptz DEFAULT clock_timestamp())";

/** Keeps the contract of starting runs and only notes the request: refused while the trigger is off, once for each key, all in one transaction. */
export const createRecordingStartRun =
  (db: Pick<Database, "transaction">): StartRun =>
  async (request) =>
    await db.transaction(async (sql) => {
      const { triggerId = null, once } = request;
      const active = "SELECT id FROM trigger WHERE id = $1 AND is_active FOR SHARE";
      if ((await sql({ name: "", text: active }, [triggerId])).length === 0)
        throw new Refusal("trigger_off", "This trigger is turned off.");
      const text =
        "INSERT INTO started (id, trigger_id, key, request) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING RETURNING id";
      const [fresh] = await sql<{ id: string }>({ name: "", text }, [
        newId(),
        triggerId,
        once?.key ?? null,
        JSON.stringify(request),
      ]);
      if (fresh) return { id: fresh.id, createdAt: new Date(), isReplay: false };
      const [there] = await sql<{ id: string; at: Date }>(
        { name: "", text: "SELECT id, at FROM started WHERE key = $1" },
        [once?.key],
      );
      if (!there) throw new Error("the key is taken by nobody");
      return { id: there.id, createdAt: there.at, isReplay: true };
    });
