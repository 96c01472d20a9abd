import { type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { Database, Statement } from "../../storage/database.ts";

type VariableTables = {
  workflow_variable: {
    organization_id: string;
    name: string;
    value: string;
    changed_by_name: string | null;
    changed_at: Generated<Date>;
  };
};

type VariablesDb = Kysely<VariableTables>;
export type VariableRow = Selectable<VariableTables["workflow_variable"]>;

export const variableTables = (db: Database): VariablesDb => db.tables<VariableTables>();

export const listVariables = (db: VariablesDb, organizationId: string): Promise<VariableRow[]> =>
  db
    .selectFrom("workflow_variable")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .orderBy(sql`name COLLATE "C"`)
    .execute();

const namedStatement: Statement = {
  name: "workflow_variables_named",
  text: `SELECT name, value FROM workflow_variable
         WHERE organization_id = $1 AND ($2::text[] IS NULL OR name = ANY ($2)) ORDER BY name COLLATE "C"`,
};

/** Those of these names; all of them where none are given. */
export const findVariables = (db: Database, organizationId: string, names: string[] | null) =>
  db.prepared<Pick<VariableRow, "name" | "value">>(namedStatement, [organizationId, names]);

type NewVariable = Omit<VariableRow, "changed_at">;

/** Undefined where the organization has as many as it may have. One after the other, so that no two take the last place. */
export const putVariable = (db: VariablesDb, row: NewVariable, most: number): Promise<VariableRow | undefined> =>
  db.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('switchyard variables ' || ${row.organization_id}::text, 0))`.execute(
      transaction,
    );
    const all = await listVariables(transaction, row.organization_id);
    if (all.length >= most && !all.some(({ name }) => name === row.name)) return undefined;
    const { value, changed_by_name } = row;
    return await transaction
      .insertInto("workflow_variable")
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(["organization_id", "name"])
          .doUpdateSet({ value, changed_by_name, changed_at: sql<Date>`now()` }),
      )
      .returningAll()
      .executeTakeFirst();
  });

export async function deleteVariable(db: VariablesDb, organizationId: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("workflow_variable")
    .where("organization_id", "=", organizationId)
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
