import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ReadUsage } from "./usage.ts";
import * as wire from "./wire.ts";

export function registerUsageRoutes(server: FastifyInstance, readUsage: ReadUsage): void {
  server.withTypeProvider<ZodTypeProvider>().get(
    "/api/organizations/:organizationId/usage",
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags: ["Usage"],
        summary: "See how many calls and runs there were, and of what",
        params: z.object({ organizationId: z.uuid() }),
        querystring: wire.usageQuery,
        response: { 200: wire.usage },
      },
    },
    (request) => readUsage(request.params.organizationId, request.query.days),
  );
}
