import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isBlank, readJson, readJsonInTurns } from "../base/json.ts";
import { parseForRecord } from "../base/json-numbers.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Tracing } from "../base/tracing.ts";
import { requireUtf8 } from "../door/create-door.ts";
import { createCount } from "../door/rate-limit.ts";
import type { Turns } from "../door/turns.ts";
import type { Authenticate } from "./authenticate.ts";
import type { CallsInFlight } from "./calls-in-flight.ts";
import { createChallenges } from "./challenge.ts";
import { createMcp, type Mcp } from "./mcp.ts";
import type { CallTool, McpRequest } from "./mcp-call.ts";
import { callerKey, callerOf } from "./mcp-caller.ts";
import { createErrorAnswer } from "./mcp-error-answer.ts";
import { type Answer, isObject } from "./mcp-message.ts";
import type { McpServer } from "./mcp-server.ts";
import { createEventStream } from "./mcp-stream.ts";

/** A server with what runs its tools. */
export type Mount = {
  server: McpServer<unknown>;
  open: (
    options: Pick<McpRouteOptions, "callsInFlight" | "limitCharacters" | "log" | "tracing"> & {
      challenge: (scope: string) => string;
    },
  ) => Mcp;
};

export const mountServer = <Target>(server: McpServer<Target>, callTool: CallTool<Target>): Mount => ({
  server,
  open: (options) => createMcp({ server, callTool, ...options }),
});

export type McpRouteOptions = {
  authenticate: Authenticate;
  callsInFlight: CallsInFlight;
  log: Log;
  tracing: Tracing;
  turns: Turns;
  /** Where clients reach the gateway, for the addresses of the challenges. */
  resourceUrl: string;
  limitPerMinute: number;
  keepAliveMs: number;
  /** Most characters of JSON that a model is given of one answer. */
  limitCharacters: number;
};

/** Everything about HTTP that all MCP servers share; `mount` opens POST /{serverId}/mcp. Authentication comes before the body is read. */
export async function registerMcpRoutes(
  server: FastifyInstance,
  options: McpRouteOptions,
  mounts: Mount[],
): Promise<void> {
  const { authenticate, log, limitPerMinute, turns } = options;
  server.decorateRequest("mcpCaller");
  await server.register(async (scope) => {
    scope.setErrorHandler(createErrorAnswer(log));
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, keepBytes);
    scope.addHook("onRequest", async (request) => {
      const { mcp } = request.routeOptions.config;
      if (mcp) request.mcpCaller = await authenticate(request, mcp);
    });
    const count = createCount(scope, {
      maxPerMinute: limitPerMinute,
      callerOf: (request) => callerKey(callerOf(request)),
    });
    scope.addHook("onRequest", count);
    scope.addHook("onRequest", (request, _reply, done) => turns.take(callerOf(request).organizationId, done));
    for (const mount of mounts) addRoute(scope, mount, { ...options, count });
  });
}

type Count = ReturnType<typeof createCount>;

function addRoute(
  scope: FastifyInstance,
  mount: Mount,
  { callsInFlight, log, tracing, resourceUrl, keepAliveMs, limitCharacters, count }: McpRouteOptions & { count: Count },
): void {
  const { id, scopes, acceptsApiKeys, acceptsTokens } = mount.server;
  const challenges = createChallenges({ resourceUrl, serverId: id, scopes, acceptsTokens });
  const { answer } = mount.open({
    callsInFlight,
    challenge: challenges.insufficientScope,
    limitCharacters,
    log,
    tracing,
  });
  const config = { access: "mcp", mcp: { id, scopes, acceptsApiKeys, acceptsTokens, challenges } } as const;

  scope.post(`/${id}/mcp`, { config }, async (request, reply) => {
    requireJsonAccepted(request.headers.accept);
    const read = await readBody(request.body);
    const stream = createEventStream(reply, keepAliveMs);
    const answered = await answer({
      ...read,
      ...toMcpRequest(request, reply, stream.open),
      countMessage: () => count(request, reply),
    });
    return stream.isOpen() ? stream.end(answered.body) : send(reply, answered);
  });
}

type Done = (error: Error | null, body?: unknown) => void;

function keepBytes(request: FastifyRequest, body: string | Buffer, done: Done): void {
  try {
    requireUtf8(request);
    done(null, body);
  } catch (error) {
    done(error as Error);
  }
}

type OpenStream = () => (message: string) => void;

function toMcpRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  openStream: OpenStream,
): Omit<McpRequest, "countMessage" | keyof ReadBody> {
  const { headers, id, trace } = request;
  return {
    headers: {
      protocolVersion: textOf(headers["mcp-protocol-version"]),
      method: textOf(headers["mcp-method"]),
      name: textOf(headers["mcp-name"]),
      traceparent: textOf(headers.traceparent),
    },
    caller: callerOf(request),
    requestId: id,
    trace,
    onDisconnect: (listener) => void reply.raw.once("close", () => reply.raw.writableFinished || listener()),
    openStream: headers.accept?.includes("text/event-stream") === true ? openStream : undefined,
  };
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : header?.join(", ");

type ReadBody = Pick<McpRequest, "body" | "fault">;

const largeBytes = 256 * 1024;

/** A text that the database cannot hold is a wrong argument like any other, so the message it came in is still answered. */
async function readBody(bytes: unknown): Promise<ReadBody> {
  if (!Buffer.isBuffer(bytes) || isBlank(bytes)) throw new Refusal("malformed_json", "The body is empty.");
  try {
    return { body: bytes.length > largeBytes ? await readJsonInTurns(bytes) : readJson(bytes), fault: undefined };
  } catch (error) {
    if (!(error instanceof Refusal && error.code === "validation_failed")) throw error;
    const body = readRefused(bytes.toString());
    return { body, fault: withinArguments(error, body) };
  }
}

/** Only what was given to the tool is recorded, so only there numbers stay as they were written. */
function readRefused(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const recorded = parseForRecord(text);
  if (!isObject(body) || !isObject(body.params) || !isObject(recorded) || !isObject(recorded.params)) return body;
  return { ...body, params: { ...body.params, arguments: recorded.params.arguments } };
}

function withinArguments({ code, errors = [] }: Refusal, body: unknown): Refusal {
  const isCall = isObject(body) && body.method === "tools/call";
  const faults = errors.map(({ pointer, detail }) => ({
    pointer: isCall ? pointer.replace(/^\/params\/arguments/, "") : pointer,
    detail,
  }));
  const [first] = faults;
  return new Refusal(
    code,
    `${first?.pointer.replace(/^\//, "") || "The request"} ${first?.detail ?? "is not valid"}.`,
    { errors: faults },
  );
}

function requireJsonAccepted(accept: string | undefined): void {
  if (
    accept === undefined ||
    /(?:application\/json|application\/\*|\*\/\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept)
  )
    return;
  throw new Refusal("not_acceptable", "The answer is application/json, which the Accept header excludes.");
}

function send(reply: FastifyReply, { status, body, type, headers }: Answer): FastifyReply {
  if (headers) reply.headers(headers);
  reply.code(status);
  if (body === undefined) return reply.send();
  return reply.type(type ?? "application/json; charset=utf-8").send(body);
}
