/**
 * How long a provider asks to wait: in milliseconds, as some send for their own clients, Retry-After in seconds or as a date, or the reset time
 * some send when a quota is used up.
 */
export function readRetryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const exactMs = Number(headers.get("retry-after-ms")?.trim() || Number.NaN);
  if (Number.isFinite(exactMs)) return Math.max(0, exactMs);
  const retryAfter = headers.get("retry-after")?.trim();
  if (retryAfter) {
    const seconds = Number(retryAfter);
    const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - now;
    return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
  }
  const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
  const resetAt = Number(headers.get("x-ratelimit-reset") ?? Number.NaN) * 1000;
  return isUsedUp && Number.isFinite(resetAt) ? Math.max(0, resetAt - now) : undefined;
}
