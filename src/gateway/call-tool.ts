import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { RecordedSteps, RunRecordedCall } from "../calls/recorded-call.ts";
import { type CatalogAction, readInput } from "../catalog/catalog.ts";
import type { ArrivedCall } from "../history/record.ts";
import { runAsPage } from "../storage/page-work.ts";
import type { CallTool, McpToolCall } from "./mcp-call.ts";
import type { McpCaller } from "./mcp-caller.ts";
import type { PlatformTool } from "./platform-tools/define-platform-tool.ts";

/** A provider's tool. */
export function createCallAction(runRecordedCall: RunRecordedCall): CallTool<CatalogAction> {
  return async (call) => {
    const { tool, arguments: given, fault, signal, onProgress, trace } = call;
    const { credentials: references, ...parameters } = given;
    const arrival = describeCall(call, { id: newId(), source: "mcp", parameters });
    const items = await runRecordedCall({ action: tool.target, arrival, references, fault, signal, onProgress, trace });
    return { items, recordId: arrival.id, findBytes: tool.target.findBytes };
  };
}

/** A tool about the caller's own account, which only an OAuth connection has. It takes no slot. */
export function createCallPlatformTool({ orRefused, run }: RecordedSteps): CallTool<PlatformTool> {
  return async (call) => {
    const { tool, arguments: parameters, fault, caller } = call;
    const { target } = tool;
    const record = describeCall(call, { id: newId(), source: "platform", parameters });
    const { input, userId } = await orRefused(record, async () => {
      if (fault) throw fault;
      if (!("connection" in caller))
        throw new Refusal("api_key_not_accepted", "This server takes no API keys. Connect with OAuth.");
      return { input: readInput(target, parameters), userId: caller.connection.userId };
    });
    const { organizationId } = caller;
    const work = async () => target.output.parse(await target.run({ input, organizationId, userId }));
    const output = await run(record, () => (target.hints.readOnly ? runAsPage(work) : work()));
    return { output, recordId: record.id };
  };
}

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
