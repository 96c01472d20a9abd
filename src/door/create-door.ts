import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import { isBlank, readJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span, Tracing } from "../base/tracing.ts";
import { requireAccessDeclarations } from "./access.ts";
import { createAllowedMethods } from "./allowed-methods.ts";
import { type ConnectionLimits, drainBeforeClosing, toServerLimits, usualLimits } from "./connection-limits.ts";
import { createHostCheck } from "./host-check.ts";
import type { Siblings } from "./metrics.ts";
import type { OperationsOptions } from "./operations-routes.ts";
import { createErrorHandler, problemType, sendProblem, toProblem, toRefusal } from "./problem.ts";
import { createStripPaths } from "./strip-paths.ts";
import type { Turns } from "./turns.ts";
import { validatorCompiler } from "./validate-request.ts";

export type DoorOptions = OperationsOptions & {
  name: "platform" | "gateway" | "operations";
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustedProxies: string[];
  log: Log;
  tracing: Tracing;
  /** In which organizations begin their requests; the same for all doors of a process. */
  turns: Turns;
  limits?: ConnectionLimits;
  /** The processes behind the same port, where there are several. */
  siblings?: Siblings | undefined;
  /** A last chance to answer a path no route knows; true when it did. */
  answerUnknownPath?: (request: FastifyRequest, reply: FastifyReply) => boolean;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The request in the trace of its caller, or in one of its own. */
    trace: Span;
  }
}

const bodyLimitBytes = 10 * 1024 * 1024;
/** For routes that anybody may call: reading a body takes everybody's time, so strangers get little of it. */
const publicBodyLimitBytes = 64 * 1024;
const lingerLimitMs = 1000;

/** What both doors share: request ids, strict reading of requests, one error form, measuring, and access declared by every route. */
export function createDoor(options: DoorOptions): FastifyInstance {
  const { log, metrics, tracing, limits = usualLimits } = options;
  const publicUrls = [options.baseUrl, ...(options.aliasUrls ?? [])];
  const server = Fastify({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: "idle",
    ...toServerLimits(limits),
    rewriteUrl: createStripPaths(publicUrls),
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendProblem(reply, request, toRefusal(error)),
    clientErrorHandler: answerUnreadableRequest,
  });
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(createErrorHandler(log));
  requireAccessDeclarations(server);
  server.addHook("onRoute", (route) => {
    if (route.config?.access === "public") route.bodyLimit ??= publicBodyLimitBytes;
  });
  const allowedMethods = createAllowedMethods(server);
  server.setNotFoundHandler((request, reply) => {
    if (options.answerUnknownPath?.(request, reply)) return reply;
    throw allowedMethods.refusalFor(request);
  });

  readJsonOnly(server);
  const checkHost = createHostCheck(publicUrls);
  // With `done` instead of a promise: these run for every request and wait for nothing.
  server.decorateRequest("trace");
  server.addHook("onRequest", (request, reply, done) => {
    request.trace = beginTrace(tracing, request);
    reply.headers({ "X-Request-Id": request.id, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" });
    requireReadable(request);
    if (request.routeOptions.config.access !== "operations") checkHost(request);
    lowerIds(request.params as Record<string, string>);
    done();
  });
  // Asked when the answer goes out: a request that began before the stop must not keep its connection open after it.
  server.addHook("onSend", (request, reply, _payload, done) => {
    if (options.isStopping()) reply.header("Connection", "close");
    drainBeforeClosing(request, limits);
    done();
  });
  server.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "(none)";
    const labels = { door: options.name, method: request.method, route, status: reply.statusCode };
    metrics.observeRequest(labels, reply.elapsedTime / 1000);
    const { id: requestId, trace } = request;
    trace.end({
      "http.response.status_code": reply.statusCode,
      ...(reply.statusCode >= 500 ? { "error.type": String(reply.statusCode) } : {}),
    });
    if (log.isLevelEnabled("debug"))
      log.debug({ ...labels, requestId, traceId: trace.traceId, elapsedMs: Math.round(reply.elapsedTime) }, "answered");
    done();
  });
  // Without these listeners Node answers on its own, with no body.
  server.server.on("connect", (_request, socket) =>
    answerUnroutable(
      socket,
      new Refusal("method_not_allowed", "This is not a proxy.", { headers: { Allow: "GET, POST" } }),
    ),
  );
  server.server.on("checkExpectation", server.routing);
  return server;
}

function readJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      requireUtf8(request);
      done(null, isBlank(body as Buffer) ? undefined : readJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Probes and readers of metrics come all the time and say nothing; they get an id and no span. */
function beginTrace(tracing: Tracing, { headers, method, routeOptions: { url, config } }: FastifyRequest): Span {
  const caller = tracing.follow(headers.traceparent);
  if (config.access === "operations") return caller;
  const route = url ?? "(none)";
  return caller.begin(`${method} ${route}`, { "http.request.method": method, "http.route": route }, "server");
}

// The parser also takes HTTP/0.9, which has no headers, and 2.0, which looks different.
function requireVersion({ raw }: FastifyRequest): void {
  if (raw.httpVersion === "1.1" || raw.httpVersion === "1.0") return;
  throw new Refusal("malformed_request", "This server speaks HTTP/1.1 and HTTP/1.0.");
}

const singleHeaders = new Set(["host", "x-api-key", "authorization", "content-type", "origin", "idempotency-key"]);

// Node keeps the first or joins the values; either way two parties could read two different requests.
function refuseRepeatedHeaders(request: FastifyRequest): void {
  const seen = new Set<string>();
  const { rawHeaders } = request.raw;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name))
      throw new Refusal("malformed_request", `The header ${name} may be sent only once.`, {
        errors: [{ pointer: name, detail: "may be sent only once" }],
      });
    seen.add(name);
  }
}

/** Before anything of it is looked at. */
function requireReadable(request: FastifyRequest): void {
  requireVersion(request);
  refuseRepeatedHeaders(request);
  if (request.url.includes("%00")) throw new Refusal("malformed_request", "The address holds the NUL character.");
}

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ids in addresses may be written in capitals; the database writes them small, and what it answers is compared with them. */
function lowerIds(params: Record<string, string>): void {
  for (const [name, text] of Object.entries(params)) if (idForm.test(text)) params[name] = text.toLowerCase();
}

// RFC 8259: JSON between systems is UTF-8. Other names for it would have the bytes read as what the sender did not mean.
export function requireUtf8(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Refusal("unsupported_media_type", "Send the body as application/json in UTF-8.");
}

function answerUnreadableRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET") return void socket.destroy();
  // Behind a request that closes its connection nothing is read: its own answer is under way or sent, ends the connection, and stays the only one.
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  answerUnroutable(
    socket,
    unreadable[error.code ?? ""] ?? new Refusal("malformed_request", "This is not a valid HTTP request."),
  );
}

const unreadable: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal("headers_too_large", "The headers are larger than 16 KiB."),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal("request_timeout", "The request took too long to arrive."),
};

/** For what never becomes a request of the framework. Nobody else watches such a connection any more, so it is also ended here. */
function answerUnroutable(socket: Duplex, refusal: Refusal): void {
  socket.on("error", () => socket.destroy());
  setTimeout(() => socket.destroy(), lingerLimitMs).unref();
  const requestId = randomUUID();
  const problem = toProblem(refusal, { instance: "/", requestId });
  const body = JSON.stringify(problem);
  const headers = {
    ...refusal.headers,
    "Content-Type": problemType,
    "Content-Length": Buffer.byteLength(body),
    "X-Request-Id": requestId,
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join("")}\r\n${body}`);
}
