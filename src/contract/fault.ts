import { endSentence } from "../base/end-sentence.ts";
import { at, textAt } from "./read.ts";

/** What a provider says about its own failure. */
export type ProviderFault = {
  code?: string | undefined;
  message?: string | undefined;
  /** What to change, said after the provider's own words. */
  advice?: string | undefined;
  /** How long to wait, when the provider says it elsewhere than in the headers. */
  retryAfterMs?: number | undefined;
  /** Worth another try although the status does not say so, e.g. a rate limit told with 403. */
  isTemporary?: boolean;
  /** Refused before anything was done, because of too many requests, although the status does not say so. */
  isTurnedAway?: boolean;
  /** The credential itself is not accepted, whatever the status says. */
  isUnauthorized?: boolean;
  /** The credential is known and may not do this: said where the status is not 403, or where a 403 means something else. */
  lacksPermission?: boolean | undefined;
  /** Scopes that it says are missing; empty where it does not name them. */
  missingScopes?: readonly string[] | undefined;
  /** The request may have been carried out all the same, in nobody's name. */
  mayHaveActed?: boolean;
  /** The answer says neither that it was done nor that it was not. */
  isUnclear?: boolean;
};

/** `body` is the answer as JSON, or its text when it is not JSON. */
export type ReadFault = (body: unknown, response: Response) => ProviderFault;

/** For providers that also refuse with a status that says all is well: what the refusal is, or undefined for an answer. */
export type ReadRefusal = (body: unknown, response: Response) => ProviderFault | undefined;

/** Of providers that say with `ok` in every answer whether it is a refusal. Without it the answer may be of somebody in between. */
export function readVerdict(body: unknown, readFault: (body: unknown) => ProviderFault): ProviderFault | undefined {
  const ok = at(body, "ok");
  if (ok === true) return undefined;
  return ok === false ? readFault(body) : { isUnclear: true };
}

/** The places where most providers put their code and their words. */
export const readCommonFault: ReadFault = (body) => {
  const error = at(body, "error") ?? at(body, "errors", 0) ?? body;
  return {
    code: textAt(error, "code") ?? textAt(error, "type") ?? textAt(error, "status") ?? textAt(body, "code"),
    message:
      textAt(error, "message") ??
      textAt(error, "detail") ??
      textAt(body, "message") ??
      textAt(body, "error_description") ??
      textAt(body, "error"),
  };
};

/** What a provider says in several pieces, one after the other. */
export const joinSentences = (pieces: (string | undefined)[]): string =>
  pieces
    .map((piece) => endSentence(piece ?? ""))
    .filter((piece) => piece !== "")
    .join(" ");
