import { Refusal } from "../base/refusal.ts";
import { isCutShort } from "../records/payload.ts";
import type { ToolCall } from "./wire.ts";

/** The call as a text to paste elsewhere. It holds a placeholder where the key belongs: the record never had the key. */
export function copyCall(
  call: ToolCall,
  { as, serverUrlTemplate }: { as: "curl" | "mcp"; serverUrlTemplate: string },
): string {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: call.tool, arguments: argumentsOf(call) },
  };
  if (as === "mcp") return `${JSON.stringify(message, null, 2)}\n`;
  const secret = call.source === "platform" ? "Authorization: Bearer <ACCESS_TOKEN>" : "X-API-Key: <API_KEY>";
  const lines = [
    `curl ${quote(serverUrlTemplate.replaceAll("{serverId}", call.serverId))}`,
    ...[secret, "Content-Type: application/json", "Accept: application/json, text/event-stream"].map(
      (header) => `  -H ${quote(header)}`,
    ),
    `  --data-raw ${quote(JSON.stringify(message))}`,
  ];
  return `${lines.join(" \\\n")}\n`;
}

function argumentsOf(call: ToolCall): Record<string, unknown> {
  const { parameters, credentials } = call;
  if (isCutShort(call, parameters) || isCutShort(call, credentials))
    throw new Refusal("conflict", "The parameters of this call were too large to be kept, so it cannot be copied.");
  const given = isRecord(parameters) ? parameters : {};
  const hasCredentials = isRecord(credentials) && Object.keys(credentials).length > 0;
  return hasCredentials ? { ...given, credentials } : given;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Nothing is special between single quotes of a shell but the single quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
