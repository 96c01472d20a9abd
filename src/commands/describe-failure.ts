import { type FieldFault, Refusal } from "../base/refusal.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { toFlag } from "./option-names.ts";

/** Says on a console why a command or the start failed. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return [error.message, ...(error.errors ?? []).map(describeFault)].join(" ");
  const { code, port } = error as { code?: string; port?: number };
  if (code === "EADDRINUSE")
    return `Port ${port} is in use by another program. Choose another one with PLATFORM_API_PORT or MCP_API_PORT.`;
  // Node leaves the message empty when it tried several addresses of a name.
  if (isDatabaseUnavailable(error)) return `The database cannot be reached: ${error.message || code}`;
  return error.message;
}

function describeFault({ pointer, detail }: FieldFault): string {
  const [option = "", ...inside] = pointer.replace(/^\//, "").split("/");
  return `(--${toFlag(option)}: ${[...(inside.length > 0 ? [inside.join("/")] : []), detail].join(" ")})`;
}
