import { queryOptions } from "@tanstack/react-query";
import type { Variable, VariableValue } from "../../src/workflows/variable-wire.ts";
import { get, type List, path, put, remove } from "../request.ts";

const base = (organizationId: string) => path`/api/organizations/${organizationId}/variables`;

/** What expressions name as `$vars`. */
export const variablesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "variables"],
    queryFn: async () => (await get<List<Variable>>(base(organizationId))).data,
  });

export const putVariable = (organizationId: string, name: string, value: VariableValue) =>
  put<Variable>(base(organizationId) + path`/${name}`, { value });

export const deleteVariable = (organizationId: string, name: string) => remove(base(organizationId) + path`/${name}`);
