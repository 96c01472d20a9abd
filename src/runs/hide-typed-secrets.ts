import { type FindStored, type FindStoredOf, type Scrub, scrubOfCall } from "../history/typed-secrets.ts";
import type { NodeEnd } from "./execute-node.ts";
import type { NodeFailure } from "./node-failure.ts";

/**
 * Takes out of what is stored about a node, besides its outputs, the secrets that its author or its data put into its parameters. Nodes that
 * follow need the outputs as they are.
 */
export async function hideTypedSecrets(end: NodeEnd, organizationId: string, findStoredOf: FindStoredOf): Promise<NodeEnd> {
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

/**
 * What an execution failed with, without the secrets in what it was given: it is stored with its item, and told to nodes that follow. Done at
 * the failure, because what all executions were given is not kept; those that succeed pay nothing for it.
 */
export async function withoutTypedSecrets(failure: NodeFailure, given: unknown, findStored: Promise<FindStored>): Promise<NodeFailure> {
  const find = await findStored.catch(() => undefined);
  if (!find) return { ...failure, message: unsearched };
  return { ...failure, message: scrubOfCall([given, failure.message], find)?.text(failure.message) ?? failure.message };
}

const unsearched = "The node failed. What it said could not be searched for secrets, so it is not kept.";
