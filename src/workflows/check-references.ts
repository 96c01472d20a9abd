import type { FieldFault } from "../base/refusal.ts";
import { expressionFieldsOf } from "./expression-fields.ts";
import type { PlacedNode } from "./node-kinds.ts";
import { findReferences } from "./references.ts";

type Surroundings = { ids: ReadonlySet<string>; ancestorsOf: ((id: string) => ReadonlySet<string>) | undefined };

/** A reference must be readable, and may name only nodes that are done before this one begins. */
export function checkReferences({ node, pointer, kind }: PlacedNode, { ids, ancestorsOf }: Surroundings): FieldFault[] {
  const ancestors = ancestorsOf?.(node.id);
  const faultOf = (id: string): string | undefined => {
    if (!ids.has(id)) return `names the node "${id}", which is not on the canvas`;
    if (ancestors && !ancestors.has(id)) return `names the node "${id}", which does not come before this one`;
    return undefined;
  };
  const found = findReferences(node.parameters ?? {}, kind ? expressionFieldsOf(kind.input) : []);
  return found.flatMap(({ pointer: within, nodeIds, fault }) => {
    const details = fault === undefined ? nodeIds.flatMap((id) => faultOf(id) ?? []) : [`has a reference that cannot be read: ${fault}`];
    return details.map((detail) => ({ pointer: `${pointer}/parameters${within}`, detail }));
  });
}
