import { Refusal, type RefusalCode } from "../../base/refusal.ts";

/**
 * Whether something is wrong with one item, and the next may be better: `sure` for what the service says about it, an answer that is too large, or
 * what the filter cannot make of it; `doubtful` for what is so only if others can be read; `none` for what is about the account or this server.
 */
export function judgeFault(error: unknown): "sure" | "doubtful" | "none" {
  // Nobody expected it: what reads an item may stumble over what is in it.
  if (!(error instanceof Refusal)) return "doubtful";
  const { status, retryAfterMs, missingScopes, lacksPermission } = error.provider ?? {};
  if (status === 401 || status === 429 || retryAfterMs !== undefined) return "none";
  if (missingScopes !== undefined || lacksPermission) return "doubtful";
  if (status !== undefined) return status >= 400 && status < 500 ? "sure" : "doubtful";
  if (sureCodes.has(error.code)) return "sure";
  return doubtfulCodes.has(error.code) ? "doubtful" : "none";
}

const sureCodes = new Set<RefusalCode>([
  "validation_failed",
  "expression_timeout",
  "provider_error",
  "outbound_refused",
]);
const doubtfulCodes = new Set<RefusalCode>(["outbound_timeout", "provider_unreachable"]);
