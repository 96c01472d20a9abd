import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { userOf } from "../door/caller.ts";
import type { Identity } from "./identity.ts";
import * as wire from "./wire.ts";

const tags = ["API keys"];
const config = { access: { role: "admin" } } as const;
const path = "/api/organizations/:organizationId/api-keys";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ keyId: z.uuid() });

export function registerApiKeyRoutes(server: FastifyInstance, identity: Identity): void {
  registerAll(server, identity);
  registerOne(server, identity);
}

function registerAll(server: FastifyInstance, { apiKeys }: Identity): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: "List API keys",
        params: inOrganization,
        querystring: wire.pageQuery,
        response: { 200: wire.apiKeyList },
      },
    },
    (request) => apiKeys.page(request.params.organizationId, request.query),
  );

  routes.post(
    path,
    {
      config,
      schema: {
        tags,
        summary: "Create an API key; its text is shown once",
        params: inOrganization,
        body: wire.apiKeyRequest,
        response: { 201: wire.apiKeyWithText },
      },
    },
    async (request, reply) => {
      const createdBy = userOf(request).userId;
      return reply.code(201).send(await apiKeys.create(request.params.organizationId, { ...request.body, createdBy }));
    },
  );
}

function registerOne(server: FastifyInstance, { apiKeys }: Identity): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.patch(
    `${path}/:keyId`,
    {
      config,
      schema: {
        tags,
        summary: "Rename an API key or change what it may call, from the next request on",
        params,
        body: wire.apiKeyChange,
        response: { 200: wire.apiKey },
      },
    },
    (request) => apiKeys.update(request.params.organizationId, request.params.keyId, request.body),
  );

  routes.post(
    `${path}/:keyId/regenerate`,
    {
      config,
      schema: {
        tags,
        summary: "Replace the text of an API key; the old one stops at once",
        params,
        response: { 200: wire.apiKeyWithText },
      },
    },
    (request) => apiKeys.regenerate(request.params.organizationId, request.params.keyId),
  );

  routes.delete(
    `${path}/:keyId`,
    {
      config,
      schema: {
        tags,
        summary: "Delete an API key; it stops at once",
        params,
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      await apiKeys.revoke(request.params.organizationId, request.params.keyId);
      return reply.code(204).send();
    },
  );
}
