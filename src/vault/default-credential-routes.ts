import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { DefaultCredentials } from "./default-credentials.ts";
import * as wire from "./wire.ts";

export type DefaultRouteOptions = {
  defaults: DefaultCredentials;
  /** Throws when the organization has no such key. */
  requireApiKey: (organizationId: string, apiKeyId: string) => Promise<void>;
};

const tags = ["Credentials"];
const path = "/api/organizations/:organizationId/default-credentials";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ type: z.string().min(1).max(100) });
const config = { access: { role: "admin" } } as const;

export function registerDefaultCredentialRoutes(
  server: FastifyInstance,
  { defaults, requireApiKey }: DefaultRouteOptions,
): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags,
        summary: "List default credentials",
        params: inOrganization,
        response: { 200: wire.defaultCredentialList },
      },
    },
    async (request) => ({ data: await defaults.list(request.params.organizationId) }),
  );

  routes.put(
    `${path}/:type`,
    {
      config,
      schema: {
        tags,
        summary: "Choose what is used when a tool call names no credential of a type",
        params,
        body: wire.defaultCredentialRequest,
        response: { 200: wire.defaultCredential },
      },
    },
    async (request) => {
      const { organizationId, type } = request.params;
      const { credentialId, apiKeyId = null } = request.body;
      if (apiKeyId !== null) await requireApiKey(organizationId, apiKeyId);
      return await defaults.set({ organizationId, apiKeyId, type }, credentialId);
    },
  );

  routes.delete(
    `${path}/:type`,
    {
      config,
      schema: {
        tags,
        summary: "Remove a default credential; the credential itself stays",
        params,
        querystring: wire.defaultCredentialOwner,
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      const { organizationId, type } = request.params;
      await defaults.remove({ organizationId, type, apiKeyId: request.query.apiKeyId ?? null });
      return reply.code(204).send();
    },
  );
}
