import {
  joinSentences,
  type ProviderFault,
  type ReadFault,
  type ReadRefusal,
  readVerdict,
} from "../../contract/fault.ts";
import { textAt, textsAt } from "../../contract/read.ts";

/** Slack also refuses with status 200; the answer says whether it is one. */
export const readSlackRefusal: ReadRefusal = (body) => readVerdict(body, faultOf);

export const readSlackFault: ReadFault = (body) => faultOf(body);

const refusedTokens = new Set(["token_expired", "token_revoked", "invalid_auth", "not_authed", "account_inactive"]);

function faultOf(body: unknown): ProviderFault {
  const code = textAt(body, "error");
  const needed = textAt(body, "needed");
  return {
    code,
    message: joinSentences(textsAt(body, "response_metadata", "messages")),
    isUnauthorized: refusedTokens.has(code ?? ""),
    missingScopes: code === "missing_scope" ? (needed?.split(",") ?? []) : undefined,
  };
}
