import { createAnswerCall, type McpOptions, type McpRequest } from "./mcp-call.ts";
import { allowsBatch, chooseEra, claimsModernEra, type Era } from "./mcp-era.ts";
import {
  type Answer,
  answerError,
  answerResult,
  invalidParams,
  invalidRequest,
  isObject,
  type RpcError,
  type RpcNotification,
  type RpcRequest,
  readMessage,
  rpcCode,
  toEvent,
} from "./mcp-message.ts";
import type { McpServer } from "./mcp-server.ts";

export type Mcp = ReturnType<typeof createMcp>;

const maxBatchLength = 20;

/** The protocol of one MCP server: stateless, tools only, every revision since 2025-03-26. Knows nothing of HTTP but status codes. */
export function createMcp<Target>(options: McpOptions<Target>) {
  const { server } = options;
  const { answerCall, cancel } = createAnswerCall(options);

  async function answer(request: McpRequest): Promise<Answer> {
    if (Array.isArray(request.body)) return await answerBatch(request.body, request);
    const message = readMessage(request.body);
    if (message.kind === "invalid")
      return answerError(
        { id: message.id, requestId: request.requestId },
        invalidRequest("this is no JSON-RPC message"),
      );
    if (message.kind === "response") return { status: 202 };
    return message.kind === "request"
      ? await answerRequest(message, request)
      : await answerNotification(message, request);
  }

  async function answerNotification(
    message: RpcNotification,
    { headers, caller, requestId }: McpRequest,
  ): Promise<Answer> {
    const chosen = chooseEra(message, headers);
    if ("error" in chosen) return answerError({ id: null, requestId }, chosen.error);
    if (chosen.era === "legacy" && message.method === "notifications/cancelled")
      await cancel(caller, message.params.requestId);
    return { status: 202 };
  }

  async function answerRequest(rpc: RpcRequest, request: McpRequest): Promise<Answer> {
    const chosen = chooseEra(rpc, request.headers);
    const whose = { id: rpc.id, requestId: request.requestId };
    if ("error" in chosen) return answerError(whose, chosen.error);
    const { era } = chosen;
    if (rpc.method === "tools/call") return await answerCall(rpc, era, request);
    if (request.fault) return answerError(whose, invalidParams(request.fault.message));
    const answers = era === "modern" ? modernAnswers : legacyAnswers;
    const write = Object.hasOwn(answers, rpc.method) ? answers[rpc.method] : undefined;
    return write ? write(server, rpc, request) : answerError(whose, methodNotFound(era));
  }

  async function answerBatch(messages: unknown[], request: McpRequest): Promise<Answer> {
    const whose = { id: null, requestId: request.requestId };
    const isModern = messages.some(
      (message) => isObject(message) && isObject(message.params) && claimsModernEra(message.params),
    );
    if (isModern || !allowsBatch(request.headers.protocolVersion))
      return answerError(whose, invalidRequest("batches exist only in revision 2025-03-26"));
    if (messages.length === 0 || messages.length > maxBatchLength)
      return answerError(whose, invalidRequest(`a batch has 1 to ${maxBatchLength} messages`));
    for (let counted = 1; counted < messages.length; counted++) await request.countMessage();
    const answers = await Promise.all(
      messages.map((body) => answerBatched({ ...request, body, openStream: undefined })),
    );
    const bodies = answers.flatMap(({ body }) => (body === undefined ? [] : [body]));
    return bodies.length === 0 ? { status: 202 } : { status: 200, body: `[${bodies.join(",")}]` };
  }

  async function answerBatched(request: McpRequest): Promise<Answer> {
    const { body, requestId } = request;
    const message = readMessage(body);
    if (message.kind === "request" && message.method === "initialize")
      return answerError({ id: message.id, requestId }, invalidRequest("initialize must not be part of a batch"));
    return Array.isArray(body)
      ? answerError({ id: null, requestId }, invalidRequest("a batch in a batch"))
      : await answer(request);
  }

  return { answer };
}

const methodNotFound = (era: Era): RpcError => ({
  status: era === "modern" ? 404 : 200,
  code: rpcCode.methodNotFound,
  reason: "not_found",
  message: "Method not found",
});

type Write = (server: McpServer<unknown>, rpc: RpcRequest, request: McpRequest) => Answer;

const answerList =
  (era: Era): Write =>
  (server, { id, params }, { caller: { view }, requestId }) => {
    if (params.cursor !== undefined) return answerError({ id, requestId }, invalidParams("unknown cursor"));
    return answerResult(id, view ? server.toolListFor(view)[era] : server.toolList[era]);
  };

const answerInitialize: Write = (server, { id, params: { protocolVersion } }, { caller: { view }, requestId }) => {
  if (typeof protocolVersion !== "string")
    return answerError({ id, requestId }, invalidParams("protocolVersion is required"));
  const { initialization } = server.introductionFor(view);
  return answerResult(id, initialization.get(protocolVersion) ?? (initialization.get("2025-11-25") as string));
};

/** Nothing here changes while a client is connected: a subscription is acknowledged as one to nothing, and complete. */
const answerListen: Write = ({ serverInfo }, { id, params: { notifications } }, { requestId }) => {
  if (!isObject(notifications)) return answerError({ id, requestId }, invalidParams("notifications is required"));
  const subscription = `"io.modelcontextprotocol/subscriptionId":${JSON.stringify(id)}`;
  const params = `{"notifications":{},"_meta":{${subscription}}}`;
  const acknowledged = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`;
  const result = `{"resultType":"complete","_meta":{${subscription},"io.modelcontextprotocol/serverInfo":${serverInfo}}}`;
  const { status, body } = answerResult(id, result);
  return { status, body: toEvent(acknowledged) + toEvent(body), type: "text/event-stream" };
};

const legacyAnswers: Record<string, Write> = {
  initialize: answerInitialize,
  ping: (_server, { id }) => answerResult(id, "{}"),
  "tools/list": answerList("legacy"),
};

const modernAnswers: Record<string, Write> = {
  "server/discover": (server, { id }, { caller: { view } }) => answerResult(id, server.introductionFor(view).discovery),
  "tools/list": answerList("modern"),
  "subscriptions/listen": answerListen,
};
