import { type FindStored, scrubOfCall } from "../../../records/typed-secrets.ts";
import type { NodeFailure } from "./node-failure.ts";

/**
 * What an execution failed with, without the secrets in what it was given: it is stored with its item, and told to nodes that follow. Done at
 * the failure, because what all executions were given is not kept; those that succeed pay nothing for it.
 */
export async function withoutTypedSecrets(
  failure: NodeFailure,
  given: unknown,
  findStored: Promise<FindStored>,
): Promise<NodeFailure> {
  const find = await findStored.catch(() => undefined);
  if (!find) return { ...failure, message: unsearched };
  return { ...failure, message: scrubOfCall([given, failure.message], find)?.text(failure.message) ?? failure.message };
}

const unsearched = "The node failed. What it said could not be searched for secrets, so it is not kept.";
