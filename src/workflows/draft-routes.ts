import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { publishedWorkflow } from "./pin-wire.ts";
import { authorOf } from "./route-author.ts";
import * as wire from "./wire.ts";
import type { Workflows } from "./workflows.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/workflows/:workflowId";
const params = z.object({ organizationId: z.uuid(), workflowId: z.uuid() });
const query = z.object({
  expectedDraft: z.coerce
    .number()
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe("The revision that is meant; another one is not touched."),
});

/** A draft is saved by creating or changing its workflow with `publish: false`. */
export function registerDraftRoutes(server: FastifyInstance, { drafts }: Pick<Workflows, "drafts">): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/draft`,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "Read the draft of a workflow", params, response: { 200: wire.workflowDraft } },
    },
    (request) => drafts.get(request.params),
  );

  routes.delete(
    `${path}/draft`,
    {
      config: { access: { role: "member" } },
      schema: {
        tags,
        summary: "Discard the draft of a workflow",
        params,
        querystring: query,
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      await drafts.discard(request.params, request.query.expectedDraft);
      return reply.code(204).send();
    },
  );

  routes.post(
    `${path}/publish`,
    {
      config: { access: { role: "member" } },
      schema: {
        tags,
        summary: "Publish the draft of a workflow",
        params,
        body: wire.publication.nullish(),
        response: { 200: publishedWorkflow },
      },
    },
    (request) => drafts.publish(request.params, request.body ?? {}, authorOf(request)),
  );
}
