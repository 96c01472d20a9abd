import type { Pause } from "../base/pause-long-work.ts";
import type { FieldFault } from "../base/refusal.ts";
import { findExpressionFaults } from "../expressions/find-expression-faults.ts";
import { expressionFieldsOf } from "./expression-fields.ts";
import type { PlacedNode } from "./node-kinds.ts";
import type { createReferenceCount } from "./parse-references.ts";
import { type FoundReference, findReferences } from "./references.ts";

type ReferenceContext = {
  organizationId: string;
  ids: ReadonlySet<string>;
  ancestorsOf: ((id: string) => ReadonlySet<string>) | undefined;
  countReference: ReturnType<typeof createReferenceCount>;
  pause: Pause;
};

/** A reference must be readable, and may name only nodes that are done before this one begins. A canvas has only so many. */
export async function checkReferences(
  { node, pointer, kind }: PlacedNode,
  { organizationId, ids, ancestorsOf, countReference, pause }: ReferenceContext,
): Promise<FieldFault[]> {
  const found: FoundReference[] = [];
  let end: FieldFault[] = [];
  for (const reference of findReferences(node.parameters ?? {}, kind ? expressionFieldsOf(kind.input) : [])) {
    await pause();
    const tooMany = countReference(reference.expression);
    if (tooMany !== undefined) {
      end = [{ pointer: `${pointer}/parameters${reference.pointer}`, detail: tooMany }];
      break;
    }
    found.push(reference);
  }
  const ancestors = ancestorsOf?.(node.id);
  const faultOf = (id: string): string | undefined => {
    if (!ids.has(id)) return `names the node "${id}", which is not on the canvas`;
    if (ancestors && !ancestors.has(id)) return `names the node "${id}", which does not come before this one`;
    return undefined;
  };
  const unreadable = await findUnreadable(organizationId, found, pause);
  const faults = found.flatMap((reference) => {
    const fault = reference.fault ?? unreadable.get(reference);
    const details =
      fault === undefined
        ? reference.nodeIds.flatMap((id) => faultOf(id) ?? [])
        : [`has a reference that cannot be read: ${fault}`];
    return details.map((detail) => ({ pointer: `${pointer}/parameters${reference.pointer}`, detail }));
  });
  return [...faults, ...end];
}

/** What JSONata cannot read, and why. */
async function findUnreadable(
  organizationId: string,
  found: FoundReference[],
  pause: Pause,
): Promise<Map<FoundReference, string>> {
  const asked = found.filter(({ jsonata }) => jsonata !== undefined);
  const faults = await findExpressionFaults(
    organizationId,
    asked.map(({ jsonata = "" }) => jsonata),
    pause,
  );
  return new Map(
    asked.flatMap((reference, index) => (faults[index] === undefined ? [] : [[reference, faults[index]] as const])),
  );
}
