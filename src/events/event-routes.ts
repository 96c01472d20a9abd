import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { userOf } from "../door/caller.ts";
import type { EventEndpoints } from "./endpoints.ts";
import * as wire from "./wire.ts";

const tags = ["Events"];
const path = "/api/organizations/:organizationId/event-endpoints";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ endpointId: z.uuid() });
const config = { access: { role: "admin" } } as const;
const nothing = z.undefined().describe("Nothing.");

export function registerEventRoutes(server: FastifyInstance, endpoints: EventEndpoints): void {
  registerEndpoints(server, endpoints);
  registerSecretsAndTests(server, endpoints);
  registerDeliveries(server, endpoints);
}

function registerEndpoints(server: FastifyInstance, endpoints: EventEndpoints): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: "List event endpoints",
        params: inOrganization,
        response: { 200: wire.eventEndpointList },
      },
    },
    async (request) => ({ data: await endpoints.list(request.params.organizationId) }),
  );

  routes.post(
    path,
    {
      config,
      schema: {
        tags,
        summary: "Register an endpoint that is told of events",
        params: inOrganization,
        body: wire.eventEndpointRequest,
        response: { 201: wire.eventEndpointWithSecret },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await endpoints.create(request.params.organizationId, request.body, userOf(request).userId)),
  );

  routes.patch(
    `${path}/:endpointId`,
    {
      config,
      schema: {
        tags,
        summary: "Change an event endpoint, or switch it on or off",
        params,
        body: wire.eventEndpointChange,
        response: { 200: wire.eventEndpoint },
      },
    },
    (request) => endpoints.update(request.params, request.body),
  );

  routes.delete(
    `${path}/:endpointId`,
    {
      config,
      schema: { tags, summary: "Delete an event endpoint and its deliveries", params, response: { 204: nothing } },
    },
    async (request, reply) => {
      await endpoints.remove(request.params);
      return reply.code(204).send();
    },
  );
}

function registerSecretsAndTests(server: FastifyInstance, endpoints: EventEndpoints): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${path}/:endpointId/rotate-secret`,
    {
      config,
      schema: {
        tags,
        summary: "Make a new signing secret; the one before stays valid for 24 hours",
        params,
        response: { 200: wire.eventEndpointWithSecret },
      },
    },
    (request) => endpoints.rotateSecret(request.params),
  );

  routes.post(
    `${path}/:endpointId/test`,
    { config, schema: { tags, summary: "Send a test event", params, response: { 202: wire.eventDelivery } } },
    async (request, reply) => reply.code(202).send(await endpoints.sendTest(request.params)),
  );
}

function registerDeliveries(server: FastifyInstance, endpoints: EventEndpoints): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/:endpointId/deliveries`,
    {
      config,
      schema: {
        tags,
        summary: "List deliveries, newest first",
        params,
        querystring: wire.eventDeliveryQuery,
        response: { 200: wire.eventDeliveryList },
      },
    },
    (request) => endpoints.deliveries(request.params, request.query),
  );

  routes.post(
    `${path}/:endpointId/deliveries/:deliveryId/redeliver`,
    {
      config,
      schema: {
        tags,
        summary: "Send an event again",
        params: params.extend({ deliveryId: z.uuid() }),
        response: { 202: wire.eventDelivery },
      },
    },
    async (request, reply) => reply.code(202).send(await endpoints.redeliver(request.params)),
  );
}
