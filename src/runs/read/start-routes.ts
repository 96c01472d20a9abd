import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../wire.ts";
import type { CountStarts } from "./count-starts.ts";

export function registerStartRoutes(server: FastifyInstance, countStarts: CountStarts): void {
  server.withTypeProvider<ZodTypeProvider>().get(
    "/api/organizations/:organizationId/workflows/:workflowId/starts",
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags: ["Runs"],
        summary: "Count what started a workflow since a moment",
        params: z.object({ organizationId: z.uuid(), workflowId: z.uuid() }),
        querystring: wire.runStartsQuery,
        response: { 200: wire.runStarts },
      },
    },
    (request) => countStarts(request.params, new Date(request.query.since)),
  );
}
