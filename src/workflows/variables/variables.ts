import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import type { Author } from "../author.ts";
import { mostVariables, type Variable, type VariableValue, variableName } from "../variable-wire.ts";
import { type NamedVariables, namesVariables } from "./named-variables.ts";
import * as store from "./variable-store.ts";

export type Variables = ReturnType<typeof createVariables>;

type Place = { organizationId: string; name: string };

/** Plain values of an organization, which every expression can name as `$vars`. */
export function createVariables({ db }: { db: Database }) {
  const tables = store.variableTables(db);

  return {
    async list(organizationId: string): Promise<Variable[]> {
      return (await store.listVariables(tables, organizationId)).map(describe);
    },

    /** Makes it, or gives it another value. */
    async put({ organizationId, name }: Place, value: VariableValue, author: Author | null): Promise<Variable> {
      requireName(name);
      const row = {
        organization_id: organizationId,
        name,
        value: JSON.stringify(value),
        changed_by_name: author?.name ?? null,
      };
      const stored = await store.putVariable(tables, row, mostVariables);
      if (stored) return describe(stored);
      throw new Refusal("conflict", `An organization has at most ${mostVariables} variables. Remove one first.`);
    },

    async remove({ organizationId, name }: Place): Promise<void> {
      if (!(await store.deleteVariable(tables, organizationId, name)))
        throw new Refusal("not_found", "There is no such variable.");
    },

    /** What `$vars` stands for now, as far as it is named. Asks nothing where it is not. */
    async valuesOf(organizationId: string, named: NamedVariables): Promise<Record<string, unknown>> {
      if (!namesVariables(named)) return {};
      const rows = await store.findVariables(db, organizationId, named.isAny ? null : named.names);
      return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
    },
  };
}

function requireName(name: string): void {
  const fault = variableName.safeParse(name).error?.issues[0];
  if (!fault) return;
  const errors = [{ pointer: "/name", detail: fault.message }];
  throw new Refusal("validation_failed", `name ${fault.message}.`, { errors });
}

const describe = ({ name, value, changed_by_name, changed_at }: store.VariableRow): Variable => ({
  name,
  value: JSON.parse(value) as VariableValue,
  changedByName: changed_by_name,
  changedAt: changed_at.toISOString(),
});
