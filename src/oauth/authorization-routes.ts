import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errors } from "oidc-provider";
import { readJson } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { toRefusal } from "../door/problem.ts";
import { limitPerMinute } from "../door/rate-limit.ts";
import type { CallProvider } from "./call-provider.ts";
import { normaliseClientMetadata } from "./client-metadata.ts";
import { pathOf } from "./discovery.ts";
import type { NormaliseRequest } from "./normalise-request.ts";

export type AuthorizationRouteOptions = {
  provider: CallProvider;
  normalise: NormaliseRequest;
  issuerUrl: string;
  log: Log;
  tokenLimitPerMinute: number;
  registrationLimitPerHour: number;
};

const form = "application/x-www-form-urlencoded";

/** The endpoints that clients call themselves. They answer errors as OAuth does. */
export async function registerAuthorizationRoutes(
  server: FastifyInstance,
  options: AuthorizationRouteOptions,
): Promise<void> {
  const { provider, normalise, issuerUrl, tokenLimitPerMinute, registrationLimitPerHour } = options;
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(createErrorAnswer(options.log));
    // One counter each, also for their other names.
    const perMinute = scope.rateLimit(limitPerMinute(tokenLimitPerMinute));
    const perHour = scope.rateLimit({ ...limitPerMinute(registrationLimitPerHour), timeWindow: 3_600_000 });
    const post = (path: string, names: string[], onRequest: typeof perMinute, readBody: typeof readForm) => {
      for (const url of pathsOf(issuerUrl, names))
        scope.post(url, { config: { access: "public" }, onRequest }, async (request, reply) => {
          const { authorization } = request.headers;
          return send(reply, await provider.call({ method: "POST", path, authorization, ...readBody(request) }));
        });
    };
    const readForm = (request: FastifyRequest) => ({ body: formOf(request, normalise.token) });
    post("/oauth/token", ["/oauth/token", "/token"], perMinute, readForm);
    post("/oauth/revoke", ["/oauth/revoke"], perMinute, readForm);
    post("/oauth/register", ["/oauth/register", "/register"], perHour, (request) => ({
      body: registrationOf(request),
    }));
    for (const url of pathsOf(issuerUrl, ["/oauth/jwks"]))
      scope.get(url, { config: { access: "public" } }, async (_request, reply) =>
        send(reply, await provider.call({ method: "GET", path: "/oauth/jwks" })),
      );
  });
}

/** Below the issuer, and without its path for proxies that take it away. */
export const pathsOf = (issuerUrl: string, paths: string[]): Set<string> =>
  new Set(["", pathOf(issuerUrl)].flatMap((prefix) => paths.map((path) => prefix + path)));

export function send(
  reply: FastifyReply,
  { status, headers, body }: Awaited<ReturnType<CallProvider["call"]>>,
): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

const typeOf = (request: FastifyRequest): string => request.headers["content-type"] ?? "";
const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

function formOf(request: FastifyRequest, normalise: (given: URLSearchParams) => URLSearchParams) {
  const bytes = bytesOf(request);
  if (!typeOf(request).toLowerCase().startsWith(form)) return { type: typeOf(request) || form, bytes };
  return { type: form, bytes: Buffer.from(normalise(new URLSearchParams(bytes.toString("utf8"))).toString()) };
}

function registrationOf(request: FastifyRequest) {
  if (!/^application\/json\b/i.test(typeOf(request)))
    throw new errors.InvalidRequest("send the metadata as application/json");
  return {
    type: "application/json",
    bytes: Buffer.from(JSON.stringify(normaliseClientMetadata(readJson(bytesOf(request))))),
  };
}

function createErrorAnswer(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof errors.OIDCProviderError)
      return reply.code(error.statusCode).send({ error: error.error, error_description: error.error_description });
    const { status, message, headers = {} } = toRefusal(error);
    if (status === 500)
      log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, "unexpected failure");
    return reply
      .code(status)
      .headers(headers)
      .send({ error: oauthErrorOf(status), error_description: message });
  };
}

function oauthErrorOf(status: number): string {
  if (status === 500) return "server_error";
  return status === 429 || status === 503 ? "temporarily_unavailable" : "invalid_request";
}
