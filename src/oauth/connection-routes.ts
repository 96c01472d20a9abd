import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { memberOf, userOf } from "../door/caller.ts";
import type { Connections } from "./connections.ts";
import * as wire from "./wire.ts";

export function registerConnectionRoutes(server: FastifyInstance, connections: Connections): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Connections"];
  const path = "/api/organizations/:organizationId/connections";
  const inOrganization = z.object({ organizationId: z.uuid() });
  const config = { access: { role: "viewer" } } as const;

  routes.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: "List connected MCP clients: one's own, for admins all members'",
        params: inOrganization,
        response: { 200: wire.connectionList },
      },
    },
    async (request) => ({ data: await connections.list(viewerOf(request)) }),
  );

  routes.delete(
    `${path}/:connectionId`,
    {
      config,
      schema: {
        tags,
        summary: "Disconnect an MCP client; its tokens stop at once",
        params: inOrganization.extend({ connectionId: z.uuid() }),
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      await connections.end(viewerOf(request), request.params.connectionId);
      return reply.code(204).send();
    },
  );
}

function viewerOf(request: FastifyRequest) {
  const { organization } = memberOf(request);
  return { organizationId: organization.id, role: organization.role, userId: userOf(request).userId };
}
