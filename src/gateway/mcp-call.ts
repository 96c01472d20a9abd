import type { Log } from "../base/log.ts";
import { describeUnknownName } from "../base/nearest-names.ts";
import { Refusal } from "../base/refusal.ts";
import { endAfter, factsOfFailure, readTraceParent, type Span, type Tracing } from "../base/tracing.ts";
import type { JsonSchema } from "../catalog/json-schema.ts";
import type { Action } from "../contract/action.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import { fitItems, fitOutput } from "./fit-result.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { type Era, type McpHeaders, metaOf } from "./mcp-era.ts";
import {
  type Answer,
  answerError,
  answerResult,
  invalidParams,
  isObject,
  type RpcError,
  type RpcRequest,
  rpcCode,
} from "./mcp-message.ts";
import { createProgress, type Progress } from "./mcp-progress.ts";
import type { McpServer, McpTool } from "./mcp-server.ts";

/** One call of a known tool by an authenticated caller with its scope. */
export type McpToolCall<Target> = {
  server: McpServer<Target>;
  tool: McpTool<Target>;
  arguments: Record<string, unknown>;
  /** The arguments as they came, when they are not an object: only for the record of the refusal. */
  misshapen?: unknown;
  /** What the caller's rules forbid or the body already showed to be wrong: the call is to be refused with it, and recorded like any other. */
  fault: Refusal | undefined;
  caller: McpCaller;
  /** Aborted with a refusal when the caller no longer wants the answer. */
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  requestId: string;
  trace: Span;
};

/** What came of a tool call. A refusal is also an answer: the model reads it and can mend its call. */
export type ToolResult =
  /** Provider tools: one block of text per item. */
  | { items: Record<string, unknown>[]; recordId: string; findBytes?: Action["findBytes"] }
  /** Platform tools: one object. */
  | { output: Record<string, unknown>; recordId: string }
  /** Content of any kind that has no schema. */
  | { content: Record<string, unknown>[] }
  | Refusal;

/** Expected failures may be returned or thrown as a Refusal. */
export type CallTool<Target> = (call: McpToolCall<Target>) => Promise<ToolResult>;

/** One HTTP request to an MCP server after everything HTTP was checked. */
export type McpRequest = {
  body: unknown;
  /** Of the texts in the body: what the database could not hold. */
  fault: Refusal | undefined;
  headers: McpHeaders & { traceparent: string | undefined };
  caller: McpCaller;
  requestId: string;
  trace: Span;
  /** To be asked for every message of a request but the first; refuses one that is too many. */
  countMessage: () => Promise<void>;
  onDisconnect: (listener: () => void) => void;
  /** Turns the answer into a stream and returns how to write to it; undefined when the caller takes no streams. */
  openStream: (() => (message: string) => void) | undefined;
};

export type McpOptions<Target> = {
  server: McpServer<Target>;
  callTool: CallTool<Target>;
  callsInFlight: CallsInFlight;
  /** The WWW-Authenticate header for a scope that is missing. */
  challenge: (scope: string) => string;
  /** Most characters of JSON that a model is given of one answer. */
  limitCharacters: number;
  log: Log;
  tracing: Tracing;
};

/** A known tool that the caller may ask for; `fault` when what it is given is not even an object. */
type Found<Target> = { tool: McpTool<Target>; fault: Refusal | undefined };

/** tools/call, and the notification that cancels one. */
export function createAnswerCall<Target>(options: McpOptions<Target>) {
  const { server, callTool, callsInFlight, limitCharacters, log, tracing } = options;

  async function run(
    { tool, fault: misfit }: Found<Target>,
    rpc: RpcRequest,
    era: Era,
    request: McpRequest,
  ): Promise<ToolResult> {
    const { caller, requestId, trace } = request;
    const fault = misfit ?? (caller.view?.allows(tool.name) === false ? notAllowed(tool) : request.fault);
    const meta = metaOf(rpc.params);
    const onProgress = createProgress(meta.progressToken, request.openStream);
    const stop = new AbortController();
    const cancel = () => stop.abort(new Refusal("cancelled", "The caller cancelled the call."));
    const finished =
      era === "legacy"
        ? callsInFlight.add({ caller, serverId: server.id, id: rpc.id }, cancel)
        : request.onDisconnect(cancel);
    const { arguments: came = {} } = rpc.params;
    const given = isObject(came) ? { arguments: withDefaults(came, tool, caller) } : { arguments: {}, misshapen: came };
    const call = { server, tool, ...given, fault, caller, signal: stop.signal, requestId, trace };
    try {
      return await callTool(onProgress ? { ...call, onProgress } : call);
    } finally {
      finished?.();
    }
  }

  /** The header comes first; a client that cannot set one may name its trace in the message. */
  function beginTrace({ name }: McpTool<Target>, { headers, trace, caller }: McpRequest, named: unknown): Span {
    const isNamed =
      named !== undefined && !readTraceParent(headers.traceparent) && readTraceParent(named) !== undefined;
    const facts = {
      "switchyard.organization.id": caller.organizationId,
      "switchyard.server.id": server.id,
      "switchyard.tool": name,
    };
    return (isNamed ? tracing.follow(named) : trace).begin(`tools/call ${name}`, facts);
  }

  async function answerCall(rpc: RpcRequest, era: Era, request: McpRequest): Promise<Answer> {
    const { requestId } = request;
    const found = findTool(options, rpc, request);
    const whose = { id: rpc.id, requestId };
    if ("error" in found) return answerError(whose, found.error);
    const context = {
      era,
      requestId,
      serverInfo: server.serverInfo,
      outputSchema: found.tool.outputSchema,
      limitCharacters,
    };
    const write = (result: ToolResult) => answerResult(rpc.id, writeToolResult(result, context));
    const trace = beginTrace(found.tool, request, metaOf(rpc.params).traceparent);
    try {
      const result = await endAfter(trace, () => run(found, rpc, era, { ...request, trace }), describeResult);
      if (result instanceof Refusal) throw result;
      return write(result);
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : hideFailure(error, log, { tool: found.tool, requestId, trace });
      const problem = toRpcError(refusal, found.fault);
      return problem ? answerError(whose, problem) : write(refusal);
    }
  }

  const cancel = (caller: McpCaller, id: unknown) => callsInFlight.cancel({ caller, serverId: server.id, id });

  return { answerCall, cancel };
}

type Where<Target> = Pick<McpOptions<Target>, "server" | "challenge">;

function findTool<Target>(
  { server, challenge }: Where<Target>,
  { params }: RpcRequest,
  { caller }: McpRequest,
): Found<Target> | { error: RpcError } {
  if (typeof params.name !== "string") return { error: invalidParams("name is required") };
  const tool = server.toolsByName.get(params.name);
  if (!tool) return { error: unknownTool(server.tools, params.name, caller) };
  if (!caller.scopes.includes(tool.scope)) return { error: insufficientScope(tool.scope, challenge) };
  const isMisfit = params.arguments !== undefined && !isObject(params.arguments);
  return { tool, fault: isMisfit ? new Refusal("validation_failed", `${noObject}.`) : undefined };
}

type Failed = { tool: { name: string }; requestId: string; trace: Span };

function hideFailure(error: unknown, log: Log, { tool, requestId, trace }: Failed): Refusal {
  log.error({ err: error, requestId, traceId: trace.traceId, tool: tool.name }, "a tool call failed unexpectedly");
  return new Refusal("internal_error", `The tool ${tool.name} failed unexpectedly. The log of the server says more.`);
}

function unknownTool(tools: { name: string }[], name: string, { view }: McpCaller): RpcError {
  const visible = tools.map((tool) => tool.name).filter((one) => view?.allows(one) ?? true);
  return invalidParams(`unknown tool ${describeUnknownName(name, visible)}`, "not_found");
}

const insufficientScope = (scope: string, challenge: (scope: string) => string): RpcError => ({
  status: 403,
  code: rpcCode.refused,
  reason: "insufficient_scope",
  message: `This needs the scope ${scope}.`,
  headers: { "WWW-Authenticate": challenge(scope) },
});

const noObject = "arguments must be an object";

const describeResult = (result: ToolResult) => (result instanceof Refusal ? factsOfFailure(result) : {});

/** Undefined for what is told as the result of the call. */
function toRpcError(refusal: Refusal, misfit: Refusal | undefined): RpcError | undefined {
  if (refusal === misfit) return invalidParams(noObject);
  const { status, code: reason, message, headers } = refusal;
  // Neither the caller's nor the tool's fault: a client may try again, and proxies and monitors should see it.
  if (status !== 429 && status !== 503) return undefined;
  return { status, code: rpcCode.refused, reason, message, ...(headers ? { headers } : {}) };
}

const notAllowed = ({ name }: { name: string }) =>
  new Refusal("tool_not_allowed", `The rules of this API key do not allow ${name}.`);

/** References that the caller's rules stand in for, when the caller names none. They are checked and recorded like any others. */
function withDefaults(
  given: Record<string, unknown>,
  { credentials: types }: { credentials: string[] },
  { view }: McpCaller,
) {
  if (!view || given.credentials !== undefined) return given;
  const credentials = Object.fromEntries([...view.defaults].filter(([type]) => types.includes(type)));
  return types.length > 0 && Object.keys(credentials).length === types.length ? { ...given, credentials } : given;
}

type ResultContext = {
  era: Era;
  requestId: string;
  /** JSON text. */
  serverInfo: string;
  outputSchema: JsonSchema | undefined;
  /** Most characters of JSON that a model is given of one answer. */
  limitCharacters: number;
};

/** The result of tools/call as JSON text. */
function writeToolResult(result: ToolResult, context: ResultContext): string {
  const { era, requestId, serverInfo } = context;
  const meta = era === "modern" ? [`"io.modelcontextprotocol/serverInfo":${serverInfo}`] : [];
  const members = era === "modern" ? ['"resultType":"complete"'] : [];
  if (result instanceof Refusal) {
    members.push(`"content":[${textBlock(describeRefusal(result))}]`, '"isError":true');
    const { code, errors, headers } = result;
    const seconds = headers?.["Retry-After"];
    const error = {
      code,
      requestId,
      ...(errors ? { errors } : {}),
      ...(seconds ? { retryAfterSeconds: Number(seconds) } : {}),
    };
    meta.push(`"switchyard/error":${JSON.stringify(error)}`);
  } else members.push(...writeContent(result, context));
  if (meta.length > 0) members.push(`"_meta":{${meta.join(",")}}`);
  return `{${members.join(",")}}`;
}

/** Each item is serialised once and used in both forms, because it is the client's own choice which of them it reads. */
function writeContent(result: Exclude<ToolResult, Refusal>, context: ResultContext): string[] {
  if ("content" in result) return [`"content":${JSON.stringify(result.content)}`];
  const { texts, structured, blocks, cut } = "items" in result ? fitItems(result, context) : fitOutput(result, context);
  const content = [...texts.map(textBlock), ...blocks, ...(cut === undefined ? [] : [textBlock(cut)])];
  const all = cut === undefined ? structured : [...structured, `"cut":${JSON.stringify(cut)}`];
  return [`"content":[${content.join(",")}]`, `"structuredContent":{${all.join(",")}}`];
}

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`;

// The message names the first wrong field; a model that sees all of them needs one more attempt only.
function describeRefusal({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return [message, ...errors.map(({ pointer, detail }) => `- ${pointer || "/"} ${detail}`)].join("\n");
}
