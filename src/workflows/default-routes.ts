import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { workflowDefaults } from "./error-wire.ts";
import type { Workflows } from "./workflows.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/workflow-defaults";
const params = z.object({ organizationId: z.uuid() });

/** What holds for all workflows of an organization that say nothing else. */
export function registerDefaultRoutes(server: FastifyInstance, { defaults }: Pick<Workflows, "defaults">): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "Read what holds for all workflows", params, response: { 200: workflowDefaults } },
    },
    (request) => defaults.get(request.params.organizationId),
  );

  routes.put(
    path,
    {
      config: { access: { role: "admin" } },
      schema: {
        tags,
        summary: "Change what holds for all workflows",
        params,
        body: workflowDefaults,
        response: { 200: workflowDefaults },
      },
    },
    (request) => defaults.put(request.params.organizationId, request.body),
  );
}
