import type { FieldFault } from "../../base/refusal.ts";
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
  const values = await variables.valuesOf(organizationId, {
    names: [...new Set(named.flatMap(({ names }) => names))],
    isAny: false,
  });
  return named.flatMap(({ pointer, names }) =>
    names
      .filter((name) => !Object.hasOwn(values, name))
      .map((name) => ({
        pointer: `${pointer}/parameters`,
        detail: `names $vars.${name}, and your organization has no variable ${name} yet`,
      })),
  );
}
