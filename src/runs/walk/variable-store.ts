import type { Database, Statement } from "../../storage/database.ts";

// Names need no quoting: the server takes only letters, digits and underscores.
const keepStatement: Statement = {
  name: "run_keep_variables",
  text: `UPDATE run SET variables = coalesce(run.variables, (
           SELECT '{' || coalesce(string_agg('"' || name || '":' || value, ',' ORDER BY name COLLATE "C"), '') || '}'
           FROM workflow_variable WHERE organization_id = $1 AND ($4::text[] IS NULL OR name = ANY ($4))))
         WHERE run.organization_id = $1 AND run.id = $2 AND run.epoch = $3 RETURNING run.variables`,
};

type Adopted = { organizationId: string; id: string; epoch: number };

/** The variables that a run was given when it began, which is now where nobody gave it any; undefined where another process has the run. */
export async function keepOnce(
  db: Database,
  { organizationId, id, epoch }: Adopted,
  names: string[] | null,
): Promise<string | undefined> {
  const [row] = await db.prepared<{ variables: string }>(keepStatement, [organizationId, id, epoch, names]);
  return row?.variables;
}
