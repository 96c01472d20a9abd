import { endSentence } from "./end-sentence.ts";
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

/** What only reads changes nothing. */
export const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A server that failed says nothing of what it did before, and a redirect may well lead to what was made. */
const isUnclearStatus = (status: number): boolean => status >= 500 || (status >= 300 && status < 400);

/** The failure of a call that had reached out to change something, told as one that may have been done, where that is so. */
export function asUnclear(failure: Refusal): Refusal {
  if (failure.effect === "none") return failure;
  const isUnclearAnswer = failure.code === "provider_error" && isUnclearStatus(failure.provider?.status ?? 0);
  if (failure.effect !== "unknown" && !isUnclearAnswer && !unclear.has(failure.code)) return failure;
  const text = failure.message.endsWith(lookFirst) ? failure.message : `${endSentence(failure.message)} ${lookFirst}`;
  return failure.reworded(() => text, "unknown");
}

/** Whether a connection that fails with this code was never there, so that nothing was sent over it. */
export const isUnconnected = (code: string): boolean => unconnected.test(code) || failedHandshake.test(code);

const unconnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_HANDSHAKE_TIMEOUT)$/;

/** Other faults of TLS, such as a record that does not decrypt, also end connections over which a request went. */
const failedHandshake =
  /CERT|SIGNATURE|ISSUER|^ERR_SSL_.*(HANDSHAKE_FAILURE|WRONG_VERSION_NUMBER|WRONG_SSL_VERSION|PROTOCOL_VERSION|(UNSUPPORTED|UNKNOWN)_PROTOCOL|NO_PROTOCOLS_AVAILABLE|NO_APPLICATION_PROTOCOL|HTTP_REQUEST|CIPHER_LIST|NO_SHARED_CIPHER|NO_CIPHERS_AVAILABLE|INSUFFICIENT_SECURITY|UNRECOGNIZED_NAME|UNKNOWN_CA|KEY_TOO_SMALL|LEGACY_RENEGOTIATION_DISABLED)$/;
