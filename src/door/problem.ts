import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Log } from "../base/log.ts";
import { Refusal, type RefusalCode } from "../base/refusal.ts";

/** RFC 9457, the error body of everything that is neither OAuth nor JSON-RPC. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

export const problemType = "application/problem+json; charset=utf-8";

export function toProblem(
  refusal: Refusal,
  { instance, requestId }: { instance: string; requestId: string },
): z.infer<typeof problem> {
  return {
    type: `urn:switchyard:problem:${refusal.code}`,
    title: STATUS_CODES[refusal.status] ?? "Error",
    status: refusal.status,
    detail: refusal.message,
    instance,
    code: refusal.code,
    requestId,
    ...(refusal.errors ? { errors: refusal.errors } : {}),
  };
}

export function createErrorHandler(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRefusal(error);
    if (refusal.code === "internal_error")
      log.error(
        { err: error, requestId: request.id, traceId: request.trace.traceId, route: request.routeOptions.url },
        "unexpected failure",
      );
    return sendProblem(reply, request, refusal);
  };
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, refusal: Refusal) {
  const instance = request.url.split("?", 1)[0] ?? "/";
  return reply
    .code(refusal.status)
    .headers({ "X-Request-Id": request.id, "X-Content-Type-Options": "nosniff", ...refusal.headers })
    .type(problemType)
    .serializer(JSON.stringify)
    .send(toProblem(refusal, { instance, requestId: request.id }));
}

const frameworkCodes: Record<string, [RefusalCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send the body as application/json."],
  FST_ERR_CTP_BODY_TOO_LARGE: ["body_too_large", "The body is too large."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["malformed_request", "The body does not have the length it announces."],
  FST_ERR_BAD_URL: ["malformed_request", "The address is not a valid URL."],
  FST_ERR_MAX_PARAM_LENGTH: ["malformed_request", "A part of the address is too long."],
  ERR_STREAM_PREMATURE_CLOSE: ["malformed_request", "The request ended before its body was complete."],
  ECONNRESET: ["malformed_request", "The request ended before its body was complete."],
  "22021": ["validation_failed", "A text holds a character that cannot be stored."],
  // Nobody asks for what cannot belong together, so the other part was there when it was looked for.
  "23503": ["conflict", "What this belongs to was deleted in the meantime."],
  "22P05": ["validation_failed", "A text holds a character that cannot be stored."],
};

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const known = frameworkCodes[(error as Partial<FastifyError>).code ?? ""];
  if (known) return new Refusal(known[0], known[1], { cause: error });
  if (isCallersFault(error))
    return new Refusal("malformed_request", "The request cannot be answered in this form.", { cause: error });
  return new Refusal(
    "internal_error",
    "Something went wrong on our side. The request id helps to find it in the log.",
    { cause: error },
  );
}

// Only what the framework and its file server say; a library inside a feature that fails with such a status is our fault.
function isCallersFault(error: unknown): boolean {
  const { code = "", statusCode = 500, expose } = error as Partial<FastifyError> & { expose?: boolean };
  return statusCode >= 400 && statusCode < 500 && (code.startsWith("FST_") || expose === true);
}
