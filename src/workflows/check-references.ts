import type { Pause } from "../base/pause-long-work.ts";
import type { FieldFault } from "../base/refusal.ts";
import { expressionFieldsOf } from "./expression-fields.ts";
import type { PlacedNode } from "./node-kinds.ts";
import type { createReferenceCount } from "./parse-references.ts";
import { findReferences } from "./references.ts";

type Surroundings = {
  ids: ReadonlySet<string>;
  ancestorsOf: ((id: string) => ReadonlySet<string>) | undefined;
  countReference: ReturnType<typeof createReferenceCount>;
  pause: Pause;
};

/** A reference must be readable, and may name only nodes that are done before this one begins. A canvas has only so many. */
export async function checkReferences(
  { node, pointer, kind }: PlacedNode,
  { ids, ancestorsOf, countReference, pause }: Surroundings,
): Promise<FieldFault[]> {
  const faults: FieldFault[] = [];
  const ancestors = ancestorsOf?.(node.id);
  const faultOf = (id: string): string | undefined => {
    if (!ids.has(id)) return `names the node "${id}", which is not on the canvas`;
    if (ancestors && !ancestors.has(id)) return `names the node "${id}", which does not come before this one`;
    return undefined;
  };
  for (const { pointer: within, expression, nodeIds, fault } of findReferences(
    node.parameters ?? {},
    kind ? expressionFieldsOf(kind.input) : [],
  )) {
    await pause();
    const at = `${pointer}/parameters${within}`;
    const tooMany = countReference(expression);
    if (tooMany !== undefined) return [...faults, { pointer: at, detail: tooMany }];
    const details = fault === undefined ? nodeIds.flatMap((id) => faultOf(id) ?? []) : [`has a reference that cannot be read: ${fault}`];
    for (const detail of details) faults.push({ pointer: at, detail });
  }
  return faults;
}
