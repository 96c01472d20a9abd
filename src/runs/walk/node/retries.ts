import { Refusal, type RefusalCode } from "../../../base/refusal.ts";
import type { GraphNode } from "../graph.ts";
import type { NodeFailure } from "./node-failure.ts";

/** Also what a provider may ask for at most. */
const longestDelayMs = 24 * 3600_000;

/** Why something failed, and what that means for trying again. */
export type Failed = {
  error: NodeFailure;
  /** Nobody knows whether it was done, and it must not be done twice. */
  mayBeDone?: boolean;
  /** How long the provider asked to be left alone. */
  retryAfterMs?: number | undefined;
};

export type Again = { error: NodeFailure; wakeAt: Date };

/** When something that failed so many times is tried again; undefined when it is not. */
export function nextTry(
  { settings }: Pick<GraphNode, "settings">,
  { error, mayBeDone, retryAfterMs = 0 }: Failed,
  past: Past,
): Again | undefined {
  const mayRepeat = !mayBeDone || settings.repeatAfterInterruption;
  if (past.failures > settings.retries || !mayRepeat || hopeless.has(error.code)) return undefined;
  const delayMs = Math.max(settings.retryDelayMs * 2 ** (past.failures - 1), retryAfterMs);
  return { error, wakeAt: new Date(past.now.getTime() + Math.min(delayMs, longestDelayMs)) };
}

type Past = { failures: number; now: Date };

export const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof Refusal ? error.provider?.retryAfterMs : undefined;

// The same again would only fail in the same way.
const hopeless = new Set<RefusalCode>([
  "validation_failed",
  "outputs_too_large",
  "unknown_node",
  "reference_unresolved",
  "stopped_by_workflow",
  "credential_reference_invalid",
  "credential_not_accessible",
  "credential_type_mismatch",
  "credential_needs_reconnect",
  "credential_incomplete",
  "credential_unreadable",
  "workflow_not_found",
  "workflow_inactive",
  "workflow_not_published",
  "outbound_refused",
  "model_not_configured",
  "interrupted",
  "run_timeout",
]);
