import type { ArrivedCall } from "../history/record.ts";
import type { McpToolCall } from "./mcp-call.ts";
import type { McpCaller } from "./mcp-caller.ts";

type Connection = Extract<McpCaller, { connection: unknown }>["connection"];
type Arrival = Pick<ArrivedCall, "id" | "source" | "parameters">;

/** What the history is told about a call that has just come in. */
export function describeCall(
  { server, tool, caller, requestId, trace, misshapen }: McpToolCall<unknown>,
  arrival: Arrival,
): ArrivedCall {
  const { id, source } = arrival;
  const parameters = misshapen === undefined ? arrival.parameters : withoutCredentials(misshapen);
  const who =
    "apiKey" in caller
      ? { apiKeyId: caller.apiKey.id, apiKeyName: caller.apiKey.name }
      : describeConnection(caller.connection);
  return {
    organizationId: caller.organizationId,
    id,
    source,
    serverId: server.id,
    tool: tool.name,
    parameters,
    credentials: {},
    queueMs: 0,
    requestId,
    traceId: trace.traceId,
    ...who,
  };
}

// Where there is no field of that name to leave out, a secret that was pasted there would be kept.
const withoutCredentials = (value: unknown): unknown =>
  JSON.stringify(value).includes("credentials") ? "[not kept, because it speaks of credentials]" : value;

const describeConnection = ({ clientId, clientName, userId, userName }: Connection) => ({
  oauthClientId: clientId,
  oauthClientName: clientName,
  userId,
  userName,
});
