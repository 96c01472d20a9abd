import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errors } from "oidc-provider";
import { z } from "zod";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { toRefusal } from "../door/problem.ts";
import { limitPerMinute } from "../door/rate-limit.ts";
import { pathsOf, send } from "./authorization-routes.ts";
import type { CallProvider } from "./call-provider.ts";
import type { Consent } from "./consent.ts";
import { errorPage, pageHeaders } from "./error-page.ts";
import type { NormaliseRequest } from "./normalise-request.ts";

export type BrowserRouteOptions = {
  provider: CallProvider;
  normalise: NormaliseRequest;
  consent: Pick<Consent, "redeem">;
  issuerUrl: string;
  consentUrlTemplate: string;
  log: Log;
  authorizationLimitPerMinute: number;
};

const params = z.object({ uid: z.string().regex(/^[A-Za-z0-9_-]{10,100}$/) });

/** What the user's browser passes through: from the client to the consent page, and back with the decision. */
export async function registerBrowserRoutes(server: FastifyInstance, options: BrowserRouteOptions): Promise<void> {
  const { provider, normalise, issuerUrl, consentUrlTemplate } = options;
  const config = { access: "public" } as const;
  const finish = createFinish(options);
  const paths = (...names: string[]) => pathsOf(issuerUrl, names);

  await server.register(async (scope) => {
    scope.setErrorHandler(createPageAnswer(options.log));
    scope.addHook("onRequest", async (_request, reply) => void reply.headers(pageHeaders));
    const onRequest = scope.rateLimit(limitPerMinute(options.authorizationLimitPerMinute));
    for (const url of paths("/oauth/authorize", "/authorize"))
      scope.get(url, { config, onRequest }, async (request, reply) => {
        const query = normalise.authorization(new URLSearchParams(request.url.split("?", 2)[1] ?? ""));
        return send(reply, await provider.call({ method: "GET", path: `/oauth/authorize?${query}` }));
      });
    for (const url of paths("/oauth/authorize/:uid"))
      scope.get(url, { config, schema: { params } }, async (request, reply) => {
        const path = `/oauth/authorize/${uidOf(request)}`;
        return send(reply, await provider.call({ method: "GET", path, cookie: request.headers.cookie }));
      });
    for (const url of paths("/oauth/consent/:uid"))
      scope.get(url, { config, schema: { params } }, (request, reply) =>
        reply.redirect(consentUrlTemplate.replaceAll("{uid}", uidOf(request)), 302),
      );
    for (const url of paths("/oauth/consent/:uid/finish")) scope.get(url, { config, schema: { params } }, finish);
  });
}

const uidOf = ({ params: given }: FastifyRequest): string => (given as z.infer<typeof params>).uid;

/** Needs the cookie of the browser that began and the ticket of the user who decided: neither of them alone is enough. */
function createFinish({ provider, consent }: BrowserRouteOptions) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const uid = uidOf(request);
    const interaction = await provider
      .readInteraction({ method: "GET", path: `/oauth/consent/${uid}`, cookie: request.headers.cookie })
      .catch((error: unknown) => {
        throw error instanceof errors.SessionNotFound ? notBegunHere() : error;
      });
    const { ticket } = request.query as { ticket?: unknown };
    if (interaction.uid !== uid || typeof ticket !== "string") throw notBegunHere();
    const connection = await consent.redeem(uid, ticket, String(interaction.params.client_id));
    if (connection) {
      const { id, userId, resource, scopes } = connection;
      Object.assign(interaction.params, { resource, scope: scopes.join(" ") });
      interaction.result = { login: { accountId: userId }, consent: { grantId: id }, select_account: {} };
    } else interaction.result = { error: "access_denied", error_description: "The user said no." };
    await interaction.save(Math.max(1, interaction.exp - Math.floor(Date.now() / 1000)));
    return reply.redirect(interaction.returnTo, 303);
  };
}

const notBegunHere = () =>
  new Refusal("oauth_state_invalid", "This browser did not begin this connection, or it took too long.");

function createPageAnswer(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, message, headers = {} } = toRefusal(error);
    if (status === 500)
      log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, "unexpected failure");
    const page = errorPage("This connection cannot be made", message);
    return reply
      .code(status)
      .headers({ ...pageHeaders, ...headers })
      .type("text/html; charset=utf-8")
      .send(page);
  };
}
