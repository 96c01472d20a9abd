import { type FindStoredOf, type Scrub, scrubOfCall } from "../../../records/typed-secrets.ts";
import type { NodeEnd } from "./execute-node.ts";

/**
 * Takes out of what is stored about a node, besides its outputs, the secrets that its author or its data put into its parameters. Nodes that
 * follow need the outputs as they are.
 */
export async function hideTypedSecrets(
  end: NodeEnd,
  organizationId: string,
  findStoredOf: FindStoredOf,
): Promise<NodeEnd> {
  const given = [end.inputs, end.filled];
  if (end.inputs.length + end.filled.length === 0) return end;
  const found = await findStoredOf(organizationId).then(
    (findStored) => ({ scrub: scrubOfCall(given, findStored) }),
    () => undefined,
  );
  // What was executed must be stored all the same, but nothing that was not searched.
  if (!found) return { ...end, inputs: [], filled: [] };
  return found.scrub ? hide(end, found.scrub) : end;
}

const hide = (end: NodeEnd, scrub: Scrub): NodeEnd => ({
  ...end,
  inputs: end.inputs.map(scrub.value),
  filled: end.filled.map(scrub.value),
  ...("error" in end ? { error: { ...end.error, message: scrub.text(end.error.message) } } : {}),
});
