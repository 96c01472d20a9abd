import { Refusal } from "../base/refusal.ts";

/** True for every failure that says "the database is away, full or too slow right now", false for a statement that is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof Refusal) return error.code === "database_unavailable";
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "08P01" && wrongAddress.test(error.message)) return false;
  if (code !== undefined && (unavailableStates.has(code) || code.startsWith("08") || networkCodes.has(code)))
    return true;
  if (code === "ENOENT" || code === "EACCES") return syscall === "connect";
  return unavailableMessages.test(error.message);
}

export function asRefusalWhenUnavailable(error: unknown): unknown {
  if (error instanceof Refusal || !isDatabaseUnavailable(error)) return error;
  return new Refusal("database_unavailable", "The database cannot be reached right now.", { cause: error });
}

/** True when the same statement without its name would work: nothing was executed, only the name on that connection is unusable. */
export function isStalePreparedStatement(error: unknown): boolean {
  const { code, message, routine } = error as { code?: string; message?: string; routine?: string };
  // 26000 and 42P05 come from poolers that move a session between server connections.
  if (code === "26000" || code === "42P05") return true;
  return (
    code === "0A000" && (routine === "RevalidateCachedQuery" || message === "cached plan must not change result type")
  );
}

export const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

const unavailableStates = new Set([
  "53300", // too many connections
  "55000", // not accepting connections
  "57014", // statement timeout
  "57P01", // terminated by an administrator or a shutdown
  "57P02", // crash of another session
  "57P03", // starting up or shutting down
  "57P05", // idle session timeout
  "25P03", // idle in transaction timeout, the session is gone
]);

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

// PgBouncer has one code for everything: also for an address that is wrong, which no patience mends.
const wrongAddress = /^no such (database|user)|authentication failed/;

// node-postgres and its pool give these failures no code.
const unavailableMessages =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable)/;
