import type { Refusal } from "../base/refusal.ts";
import { splitScopes } from "../base/split-scopes.ts";
import { addressIn } from "./contents.ts";
import type { OpenedCredential } from "./open-credential.ts";

/** What is missing stands in the message already; this adds how to get it. */
export function explainMissingScope(opened: OpenedCredential, failure: Refusal, platformBaseUrl: string): Refusal {
  if (failure.provider?.missingScopes === undefined) return failure;
  const address = addressIn(opened.row(), platformBaseUrl);
  const has = splitScopes(opened.data().grantedScopes);
  const given = has.length > 0 ? ` It was given: ${has.join(", ")}.` : "";
  const way = opened.isConnected
    ? `Add the scope to the credential "${opened.row().name}" and connect it again: ${address}`
    : `Give the token of the credential "${opened.row().name}" that scope at ${opened.definition.title}, and enter the new one if it changes: ${address}`;
  return failure.reworded((text) => (text === failure.message ? `${text}${given} ${way}` : text));
}
