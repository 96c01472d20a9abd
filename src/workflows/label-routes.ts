import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { findQuery, foundWorkflows } from "./find-wire.ts";
import { bulkRequest, bulkResult, workflowLabels } from "./label-wire.ts";
import { changeMany } from "./labels.ts";
import { authorOf } from "./route-author.ts";
import type { RemoveWorkflow, Workflows } from "./workflows.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId";
const params = z.object({ organizationId: z.uuid() });

/** What helps where an organization has many workflows. */
export function registerLabelRoutes(server: FastifyInstance, workflows: Workflows, remove: RemoveWorkflow): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/workflow-labels`,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "List the folders and tags of workflows", params, response: { 200: workflowLabels } },
    },
    (request) => workflows.labels(request.params.organizationId),
  );

  routes.get(
    `${path}/workflow-names`,
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags,
        summary: "Find workflows by a few letters",
        params,
        querystring: findQuery,
        response: { 200: foundWorkflows },
      },
    },
    async (request) => ({ data: await workflows.findByWords(request.params.organizationId, request.query) }),
  );

  routes.post(
    `${path}/workflows/bulk`,
    {
      config: { access: { role: "member" } },
      schema: {
        tags,
        summary: "Change or delete several workflows",
        params,
        body: bulkRequest,
        response: { 200: bulkResult },
      },
    },
    (request) => {
      const { organizationId } = request.params;
      return changeMany(request.body, {
        change: (workflowId, change) => workflows.update({ organizationId, workflowId }, change, authorOf(request)),
        remove: (workflowId) => remove({ organizationId, workflowId }),
      });
    },
  );
}
