import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { userOf } from "../door/caller.ts";
import type { Consent } from "./consent.ts";
import * as wire from "./wire.ts";

/** What the consent page asks the platform. Nothing happens at the gateway until the same browser brings the ticket there. */
export function registerConsentRoutes(server: FastifyInstance, consent: Consent): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Connections"];
  const config = { access: "session" } as const;
  const params = z.object({ uid: z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be the id of a request") });

  routes.get(
    "/api/oauth/consent-requests/:uid",
    {
      config,
      schema: { tags, summary: "What an MCP client asks for", params, response: { 200: wire.consentRequest } },
    },
    (request) => consent.describe(request.params.uid, userOf(request)),
  );

  routes.post(
    "/api/oauth/consent-requests/:uid/decision",
    {
      config,
      schema: {
        tags,
        summary: "Approve or deny it",
        params,
        body: wire.consentDecision,
        response: { 200: wire.consentAnswer },
      },
    },
    (request) => consent.decide(request.params.uid, userOf(request), request.body),
  );
}
