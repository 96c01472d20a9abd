import type { Sql } from "../../storage/database.ts";
import type { RunPlace } from "../store.ts";

// The column holds all files of a run, and is named after those that were the first.
const insertStatement = {
  name: "run_files_insert",
  text: "UPDATE run SET trigger_files = $3 WHERE organization_id = $1 AND id = $2",
};

/** As a JSON list, with a run that is new. */
export async function insertFiles(sql: Sql, { organizationId, id }: RunPlace, files: string): Promise<void> {
  await sql(insertStatement, [organizationId, id, files]);
}

// One statement, so that nodes which give files at the same time wait for each other. Lists are joined as text: nobody reads what is there already.
const appendStatement = {
  name: "run_files_append",
  text: `UPDATE run SET trigger_files = CASE WHEN trigger_files IS NULL THEN $3 ELSE left(trigger_files, -1) || ',' || substr($3, 2) END
         WHERE organization_id = $1 AND id = $2 AND coalesce(octet_length(trigger_files), 0) + octet_length($3) <= $4
         RETURNING json_array_length(trigger_files::json) AS count`,
};

/** Behind the files that the run has. Says how many there are then; undefined when it would be more than so many bytes of text. */
export async function appendFiles(
  sql: Sql,
  { organizationId, id }: RunPlace,
  { files, mostBytes }: { files: string; mostBytes: number },
): Promise<number | undefined> {
  const [row] = await sql<{ count: number }>(appendStatement, [organizationId, id, files, mostBytes]);
  return row?.count;
}

// What a run comes from is known by its own row, also when that run is gone.
const kinStatement = {
  name: "run_files_kin",
  text: `WITH RECURSIVE line AS (
           SELECT asked.id AS of, asked.id FROM unnest(ARRAY[$2, $3]::uuid[]) AS asked (id)
           UNION
           SELECT line.of, origin.id FROM line JOIN run ON run.organization_id = $1 AND run.id = line.id
           CROSS JOIN LATERAL (
             VALUES (run.rerun_of), (run.parent_run_id) UNION ALL
             SELECT unnest(taken_runs) FROM editor_run WHERE editor_run.organization_id = $1 AND editor_run.run_id = line.id
           ) AS origin (id) WHERE origin.id IS NOT NULL
         )
         SELECT EXISTS (
           SELECT FROM line AS one JOIN line AS other ON other.id = one.id WHERE one.of = $2::uuid AND other.of = $3::uuid
         ) AS "areKin"`,
};

/** Whether one of two runs comes from the other, or both from a third: as its rerun, called by it, or with outputs of it. */
export async function areKin(sql: Sql, { organizationId, id }: RunPlace, otherId: string): Promise<boolean> {
  const [row] = await sql<{ areKin: boolean }>(kinStatement, [organizationId, id, otherId]);
  return row?.areKin === true;
}

const findStatement = {
  name: "run_files_find",
  text: "SELECT (trigger_files::json -> ($3::int - 1))::text AS file FROM run WHERE organization_id = $1 AND id = $2",
};

/** One of them, counted from 1, as JSON text. */
export async function findFile(sql: Sql, { organizationId, id }: RunPlace, number: number): Promise<string | null> {
  const [row] = await sql<{ file: string | null }>(findStatement, [organizationId, id, number]);
  return row?.file ?? null;
}
