import { type ReadFault, readCommonFault } from "../../contract/fault.ts";
import { at, listAt, textAt } from "../../contract/read.ts";

const temporaryReasons = new Set(["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]);

const missingScopes = new Set(["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]);

/** Google repeats the status as its code; what went wrong is in the reason. */
export const readGoogleFault: ReadFault = (body, response) => {
  const error = at(body, "error");
  if (typeof error !== "object" || error === null) return readCommonFault(body, response);
  const reasons = [...listAt(error, "errors"), ...listAt(error, "details")].flatMap(
    (entry) => textAt(entry, "reason") ?? [],
  );
  const lacksScope = response.status === 403 && reasons.some((reason) => missingScopes.has(reason));
  const isTurnedAway = reasons.some((reason) => temporaryReasons.has(reason));
  return {
    code: reasons[0] ?? textAt(error, "status"),
    message: textAt(error, "message"),
    // An API that is not switched on is refused with 403 too.
    lacksPermission: lacksScope,
    missingScopes: lacksScope ? scopesIn(response.headers.get("www-authenticate")) : undefined,
    isTemporary: response.status === 403 && isTurnedAway,
    isTurnedAway,
    retryAfterMs: isTurnedAway ? readWaitMs(textAt(error, "message")) : undefined,
  };
};

/** Some of Google's services name there what would do: `Bearer realm="…", error="insufficient_scope", scope="…"`. */
const scopesIn = (header: string | null): string[] =>
  (/\bscope="([^"]*)"/.exec(header ?? "")?.[1] ?? "").split(/\s+/).filter(Boolean);

/** Gmail says it in its words only: "User-rate limit exceeded.  Retry after 2026-01-31T09:00:00.000Z". */
function readWaitMs(message: string | undefined): number | undefined {
  const time = Date.parse(/retry after (\d{4}-[\d-]+T[\d:.]+Z)/i.exec(message ?? "")?.[1] ?? "");
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}
