import { type FieldFault, maxFieldFaults } from "../../base/refusal.ts";
import type { PlacedNode } from "../node-kinds.ts";
import { namedVariables } from "./named-variables.ts";
import type { Variables } from "./variables.ts";

/** Warns of variables that nodes name and the organization does not have. They may still be added, so nothing is refused for them. */
export async function checkVariables(
  variables: Pick<Variables, "valuesOf">,
  organizationId: string,
  nodes: readonly PlacedNode[],
): Promise<FieldFault[]> {
  const named = nodes.map(({ node, pointer }) => ({ pointer, names: namedVariables(node.parameters).names }));
  const all = new Set(named.flatMap(({ names }) => names));
  // An organization has few: where many are named, it is asked for all that it has.
  const values = await variables.valuesOf(organizationId, { names: [...all], isAny: all.size > maxFieldFaults });
  const missing = named.flatMap(({ pointer, names }) =>
    names.filter((name) => !Object.hasOwn(values, name)).map((name) => ({ pointer, name })),
  );
  return missing.slice(0, maxFieldFaults).map(({ pointer, name }) => ({
    pointer: `${pointer}/parameters`,
    detail: `names $vars.${name}, and your organization has no variable ${name} yet`,
  }));
}
