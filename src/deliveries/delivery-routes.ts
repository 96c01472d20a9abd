import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Deliveries } from "./deliveries.ts";
import * as wire from "./wire.ts";

const tags = ["Triggers"];
const path = "/api/organizations/:organizationId/triggers/:triggerId";
const params = z.object({ organizationId: z.uuid(), triggerId: z.uuid() });
const reading = { access: { role: "viewer" } } as const;
const writing = { access: { role: "member" } } as const;
const nothing = z.undefined().describe("Nothing.");

export function registerDeliveryRoutes(server: FastifyInstance, deliveries: Deliveries): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/deliveries`,
    {
      config: reading,
      schema: {
        tags,
        summary: "List what arrived at a webhook lately, refused or not",
        params,
        querystring: wire.webhookDeliveryQuery,
        response: { 200: wire.webhookDeliveryList },
      },
    },
    (request) => deliveries.list(request.params, request.query),
  );

  routes.get(
    `${path}/deliveries/:webhookDeliveryId`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Read a delivery with its trigger data",
        params: params.extend({ webhookDeliveryId: z.uuid() }),
        response: { 200: wire.webhookDeliveryDetail },
      },
    },
    (request) => deliveries.get(request.params, request.params.webhookDeliveryId),
  );

  routes.post(
    `${path}/listen`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Listen for the next delivery to a webhook, for two minutes",
        params,
        response: { 200: wire.listening },
      },
    },
    (request) => deliveries.listen(request.params),
  );

  routes.delete(
    `${path}/listen`,
    { config: writing, schema: { tags, summary: "Stop listening", params, response: { 204: nothing } } },
    async (request, reply) => {
      await deliveries.stopListening(request.params);
      return reply.code(204).send();
    },
  );
}
