import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../base/log.ts";
import type { Refusal, RefusalCode } from "../base/refusal.ts";
import { sendProblem, toRefusal } from "../door/problem.ts";
import { answerError, rpcCode } from "./mcp-message.ts";

/**
 * Until a caller is authenticated refusals are problem documents, afterwards JSON-RPC errors:
 * clients of both eras take any other body for a server of the wrong one.
 */
export function createErrorAnswer(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRefusal(error);
    const { code, status, message } = refusal;
    if (code === "internal_error")
      log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, "unexpected failure");
    if (status === 401 || status === 403) reply.header("WWW-Authenticate", challengeFor(refusal, request));
    if (request.mcpCaller === undefined) return sendProblem(reply, request, refusal);
    const told = { status, code: rpcCodes[code] ?? rpcCode.refused, reason: code, message };
    const { body } = answerError({ id: null, requestId: request.id }, told);
    return reply
      .code(status)
      .headers(refusal.headers ?? {})
      .type("application/json; charset=utf-8")
      .send(body);
  };
}

const rpcCodes: Partial<Record<RefusalCode, number>> = {
  malformed_json: rpcCode.parseError,
  malformed_request: rpcCode.invalidRequest,
  internal_error: rpcCode.internalError,
};

function challengeFor({ code }: Refusal, request: FastifyRequest): string | undefined {
  const { mcp } = request.routeOptions.config;
  if (code === "access_token_invalid") return mcp?.challenges.invalidToken;
  return code === "insufficient_scope"
    ? mcp?.challenges.insufficientScope(mcp.scopes.join(" "))
    : mcp?.challenges.signIn;
}
