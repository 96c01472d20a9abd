import type { Database, RunStatement } from "../storage/database.ts";
import type { RunPlace } from "./store.ts";

const insertStatement = { name: "run_files_insert", text: "UPDATE run SET trigger_files = $3 WHERE organization_id = $1 AND id = $2" };

export async function insertFiles(run: RunStatement, { organizationId, id }: RunPlace, files: string): Promise<void> {
  await run(insertStatement, [organizationId, id, files]);
}

const findStatement = { name: "run_files_find", text: "SELECT trigger_files AS files FROM run WHERE organization_id = $1 AND id = $2" };

export async function findFiles(db: Database, { organizationId, id }: RunPlace): Promise<string | null> {
  const [row] = await db.prepared<{ files: string | null }>(findStatement, [organizationId, id]);
  return row?.files ?? null;
}
