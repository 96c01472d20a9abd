import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { WebhookRemovals } from "./webhook-removals.ts";
import * as wire from "./wire.ts";

const tags = ["Triggers"];
const path = "/api/organizations/:organizationId/webhook-removals";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ removalId: z.uuid() });
const config = { access: { role: "admin" } } as const;
const nothing = z.undefined().describe("Nothing.");

/** What is left at providers of webhooks that were deleted here. */
export function registerRemovalRoutes(server: FastifyInstance, removals: WebhookRemovals): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: "List webhooks that could not be removed at their providers yet",
        params: inOrganization,
        querystring: wire.webhookRemovalQuery,
        response: { 200: wire.webhookRemovalList },
      },
    },
    (request) => removals.list(request.params.organizationId, request.query),
  );

  routes.post(
    `${path}/:removalId/retry`,
    {
      config,
      schema: { tags, summary: "Try to remove a webhook at its provider now", params, response: { 204: nothing } },
    },
    async (request, reply) => {
      await removals.tryAgain(request.params);
      return reply.code(204).send();
    },
  );

  routes.delete(
    `${path}/:removalId`,
    {
      config,
      schema: {
        tags,
        summary: "Forget a webhook that was removed at its provider by hand",
        params,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await removals.forget(request.params);
      return reply.code(204).send();
    },
  );
}
