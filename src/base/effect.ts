import type { Refusal, RefusalCode } from "./refusal.ts";

/** The same words wherever nobody can tell whether something was done. */
export const lookFirst = "It may have been done: look before you repeat it.";

/** Codes of failures after which the other side may have done all the same what it was asked for. */
const unclear = new Set<RefusalCode>([
  "provider_unreachable",
  "outbound_timeout",
  "outbound_refused",
  "tool_timeout",
  "run_timeout",
  "internal_error",
  "cancelled",
  "shutting_down",
  "slot_lost",
]);

/** What a provider refuses with a status below this has not been done. */
const firstServerFault = 500;

/** The failure of a call that had reached out to change something, told as one that may have been done, where that is so. */
export function asUnclear(failure: Refusal): Refusal {
  if (failure.effect === "none") return failure;
  const isServerFault = failure.code === "provider_error" && (failure.provider?.status ?? 0) >= firstServerFault;
  if (failure.effect !== "unknown" && !isServerFault && !unclear.has(failure.code)) return failure;
  const text = failure.message.endsWith(lookFirst) ? failure.message : `${endSentence(failure.message)} ${lookFirst}`;
  return failure.reworded(() => text, "unknown");
}

const endSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Whether a connection that fails with this code was never there, so that nothing was sent over it. */
export const isUnconnected = (code: string): boolean => unconnected.test(code);

const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|.*(CERT|SIGNATURE|ISSUER).*)$/;
