import { type ReadFault, readCommonFault } from "../../contract/fault.ts";
import { at, listAt, textAt } from "../../contract/read.ts";

const temporaryReasons = new Set(["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]);

const missingScopes = new Set(["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]);

/** Google repeats the status as its code; what went wrong is in the reason. */
export const readGoogleFault: ReadFault = (body, response) => {
  const error = at(body, "error");
  if (typeof error !== "object" || error === null) return readCommonFault(body, response);
  const reasons = [...listAt(error, "errors"), ...listAt(error, "details")].flatMap((entry) => textAt(entry, "reason") ?? []);
  return {
    code: reasons[0] ?? textAt(error, "status"),
    message: textAt(error, "message"),
    // An API that is not switched on is refused with 403 too.
    lacksPermission: response.status === 403 && reasons.some((reason) => missingScopes.has(reason)),
    isTemporary: response.status === 403 && reasons.some((reason) => temporaryReasons.has(reason)),
  };
};
