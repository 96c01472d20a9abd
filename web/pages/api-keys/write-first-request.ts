import type { ApiKeyWithText } from "../../../src/identity/wire.ts";
import type { Server } from "../../api/servers.ts";
import { firstCall, writeCurl } from "../servers/client-snippets.ts";
import { findAllowedTools } from "./allowed-tools.ts";

/** A command that works with exactly this key. */
export function writeFirstRequest(
  { key, scopes, toolRules }: ApiKeyWithText,
  servers: Server[],
  platformUrl: string,
): string {
  if (!scopes.includes("mcp:invoke"))
    return `curl -s -X POST ${platformUrl}/task-runner/trigger/WORKFLOW_ID \\\n  -H "X-API-Key: ${key}"`;
  const allowed = findAllowedTools(servers, toolRules);
  const { serverId, ...request } = firstCall;
  const easy = allowed.find(
    ({ server, tools }) => server.id === serverId && tools.some(({ name }) => name === request.params.name),
  );
  if (easy) return writeCurl(easy.server.url, key, request);
  const server = allowed[0]?.server ?? servers[0];
  return writeCurl(server?.url ?? "", key, { method: "tools/list" });
}
